/** Which of the project's packages serve the purpose of another: by families everybody knows, then by what both say of themselves. */
import type { Ecosystem } from "./package-name.ts";

export interface Described {
  name: string;
  /** Somebody else's words. */
  description: string;
  keywords: readonly string[];
}

const FAMILIES: readonly { purpose: string; ecosystem: Ecosystem; names: string }[] = [
  { purpose: "HTTP requests", ecosystem: "npm", names: "axios got ky node-fetch undici superagent request needle cross-fetch phin" },
  { purpose: "dates", ecosystem: "npm", names: "moment dayjs date-fns luxon js-joda @js-joda/core" },
  { purpose: "checking the shape of data", ecosystem: "npm", names: "zod yup joi ajv valibot superstruct io-ts typebox @sinclair/typebox" },
  { purpose: "tests", ecosystem: "npm", names: "vitest jest mocha ava tap jasmine uvu" },
  { purpose: "general helpers", ecosystem: "npm", names: "lodash lodash-es underscore ramda remeda radash es-toolkit" },
  { purpose: "logging", ecosystem: "npm", names: "pino winston bunyan log4js loglevel consola" },
  { purpose: "command lines", ecosystem: "npm", names: "commander yargs minimist meow cac clipanion citty sade arg" },
  { purpose: "colours in a terminal", ecosystem: "npm", names: "chalk kleur picocolors colors ansis colorette ansi-colors" },
  { purpose: "unique ids", ecosystem: "npm", names: "uuid nanoid ulid cuid @paralleldrive/cuid2 short-uuid" },
  { purpose: "a web server", ecosystem: "npm", names: "express fastify koa hono @hapi/hapi restify polka" },
  { purpose: "running commands", ecosystem: "npm", names: "execa cross-spawn shelljs zx tinyexec nano-spawn" },
  { purpose: "files by pattern", ecosystem: "npm", names: "glob fast-glob globby tinyglobby picomatch micromatch minimatch" },
  { purpose: "YAML", ecosystem: "npm", names: "yaml js-yaml yamljs" },
  { purpose: "state", ecosystem: "npm", names: "redux zustand jotai mobx recoil valtio @reduxjs/toolkit" },
  { purpose: "limits of parallel work", ecosystem: "npm", names: "p-limit p-queue p-map async bottleneck fastq" },
  { purpose: "HTTP requests", ecosystem: "python", names: "requests httpx aiohttp urllib3 pycurl niquests" },
  { purpose: "dates", ecosystem: "python", names: "python-dateutil pendulum arrow pytz delorean" },
  {
    purpose: "checking the shape of data",
    ecosystem: "python",
    names: "pydantic marshmallow attrs cerberus voluptuous jsonschema msgspec",
  },
  { purpose: "tests", ecosystem: "python", names: "pytest nose nose2 unittest2" },
  { purpose: "command lines", ecosystem: "python", names: "click typer docopt fire cyclopts" },
  { purpose: "logging", ecosystem: "python", names: "loguru structlog logbook" },
  { purpose: "a web server", ecosystem: "python", names: "flask fastapi django starlette bottle sanic tornado falcon litestar" },
  { purpose: "trying again", ecosystem: "python", names: "tenacity retry retrying backoff stamina" },
  { purpose: "tables of data", ecosystem: "python", names: "pandas polars dask modin" },
  { purpose: "YAML", ecosystem: "python", names: "pyyaml ruamel-yaml strictyaml" },
  { purpose: "HTTP requests", ecosystem: "rust", names: "reqwest ureq hyper isahc surf attohttpc curl" },
  { purpose: "errors", ecosystem: "rust", names: "anyhow thiserror eyre color-eyre snafu failure" },
  { purpose: "dates", ecosystem: "rust", names: "chrono time jiff" },
  { purpose: "command lines", ecosystem: "rust", names: "clap argh pico-args structopt lexopt" },
  { purpose: "a web server", ecosystem: "rust", names: "axum actix-web rocket warp tide poem" },
  { purpose: "logging", ecosystem: "go", names: "github.com/sirupsen/logrus go.uber.org/zap github.com/rs/zerolog" },
  {
    purpose: "a web server",
    ecosystem: "go",
    names: "github.com/gin-gonic/gin github.com/go-chi/chi github.com/labstack/echo github.com/gorilla/mux",
  },
  { purpose: "command lines", ecosystem: "go", names: "github.com/spf13/cobra github.com/urfave/cli github.com/alecthomas/kong" },
];

/** Said of so many packages that they tell nothing. */
const EMPTY = new Set(
  "a an and the for with from your you that this into over all any of to in on is it by as or be are simple fast small tiny easy lightweight library package module tool tools framework node nodejs javascript typescript js ts python rust go api browser support modern powerful best based using use used utility utilities util utils helper helpers".split(
    " ",
  ),
);
const SHARED_KEYWORDS = 3;
const SHARED_SHARE = 0.5;

const wordsOf = (text: string): Set<string> =>
  new Set((text.toLowerCase().match(/[a-z][a-z0-9]{2,}/gu) ?? []).filter((word) => !EMPTY.has(word)));

/** What both say, if that is most of what the shorter one says. */
function shared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  return [...a].filter((word) => b.has(word)).length;
}

export function samePurpose(ecosystem: Ecosystem, wanted: Described, own: readonly Described[]): { name: string; why: string } | undefined {
  for (const family of FAMILIES.filter((one) => one.ecosystem === ecosystem)) {
    const names = family.names.split(" ");
    const found = names.includes(wanted.name) ? own.find(({ name }) => names.includes(name)) : undefined;
    if (found !== undefined) return { name: found.name, why: family.purpose };
  }
  const keys = wordsOf(wanted.keywords.join(" "));
  const said = wordsOf(wanted.description);
  for (const { name, description, keywords } of own) {
    const both = [...keys].filter((word) => wordsOf(keywords.join(" ")).has(word));
    if (both.length >= SHARED_KEYWORDS) return { name, why: both.slice(0, SHARED_KEYWORDS).join(", ") };
    const other = wordsOf(description);
    const least = Math.min(said.size, other.size);
    if (least >= SHARED_KEYWORDS && shared(said, other) / least > SHARED_SHARE)
      return {
        name,
        why: [...said]
          .filter((word) => other.has(word))
          .slice(0, SHARED_KEYWORDS)
          .join(", "),
      };
  }
  return undefined;
}
