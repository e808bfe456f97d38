/** Names that one slip turns into another: what was probably meant, and what poses as something well known. */
import type { Ecosystem } from "./package-name.ts";

const words = (text: string): readonly string[] => text.trim().split(/\s+/u);

/** Widely used, so worth being mistaken for. */
const WELL_KNOWN: Readonly<Record<Ecosystem, readonly string[]>> = {
  npm: words(`
    axios chalk commander cross-env date-fns dayjs debug dotenv esbuild eslint execa express fastify glob got graphql
    immer jest joi jsonwebtoken ky koa lodash luxon mocha moment mongoose mysql2 nanoid nestjs next node-fetch nodemon
    p-limit pino preact prettier prisma react react-dom redis redux request rimraf rollup rxjs semver sequelize sharp
    socket.io supertest svelte tailwindcss tslib typescript undici uuid valibot vite vitest vue webpack winston ws yaml
    yargs yup zod zustand`),
  python: words(`
    aiohttp alembic anyio attrs beautifulsoup4 black boto3 celery certifi click cryptography django fastapi flask
    gunicorn httpx hypothesis jinja2 jsonschema loguru lxml marshmallow matplotlib mypy networkx numpy openai pandas
    pillow polars psycopg2 pydantic pyjwt pytest python-dateutil pytorch pyyaml redis requests rich ruff scikit-learn
    scipy selenium setuptools six sqlalchemy starlette structlog tenacity tensorflow tomli torch tox tqdm typer
    urllib3 uvicorn virtualenv werkzeug`),
  rust: words(`
    anyhow async-trait axum base64 bytes chrono clap crossbeam dashmap env_logger futures hyper indexmap itertools
    lazy_static libc log nom num once_cell parking_lot rand rayon regex reqwest rusqlite serde serde_json serde_yaml
    sha2 smallvec sqlx syn tempfile thiserror time tokio toml tonic tower tracing url uuid walkdir warp`),
  go: words(`
    github.com/gin-gonic/gin github.com/go-chi/chi github.com/google/uuid github.com/gorilla/mux github.com/pkg/errors
    github.com/rs/zerolog github.com/sirupsen/logrus github.com/spf13/cobra github.com/spf13/viper
    github.com/stretchr/testify go.uber.org/zap golang.org/x/sync gopkg.in/yaml.v3`),
};
const MIN_CHARS = 4;
const MAX_NEAR = 3;

/** Insertions, deletions, changed letters and swapped neighbours between two names; stops above `most`. */
function slips(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let older: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_v, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let best = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, (older[j - 2] ?? 0) + 1);
      row.push(best);
    }
    [older, last] = [last, row];
  }
  return last[b.length] ?? most + 1;
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_.]/gu, "");

/** Names the project has or everybody knows within so many slips, nearest first. */
export function nearNames(ecosystem: Ecosystem, name: string, own: readonly string[], most: number): string[] {
  const asked = plain(name);
  if (asked.length < MIN_CHARS) return [];
  const all = [...new Set([...own, ...WELL_KNOWN[ecosystem]])].filter((one) => one !== name);
  return all
    .map((one) => ({ one, apart: slips(asked, plain(one), most) }))
    .filter(({ apart }) => apart <= most)
    .toSorted((a, b) => a.apart - b.apart)
    .slice(0, MAX_NEAR)
    .map(({ one }) => one);
}

export const isWellKnown = (ecosystem: Ecosystem, name: string): boolean => WELL_KNOWN[ecosystem].includes(name);
