/** The package as users get it: `npm install -g` of the tarball into a prefix of its own, with an empty home. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";

const ROOT = path.join(import.meta.dirname, "../..");
/** Its packages come from a registry. */
const NO_REGISTRY =
  spawnSync("npm", ["view", "zod", "version", "--fetch-retries=0", "--fetch-timeout=10000"], { stdio: "ignore" }).status === 0
    ? undefined
    : "no npm registry can be reached";

test.skipIf(NO_REGISTRY !== undefined)(
  "an installed sylk brings what it needs: the demonstration runs to its end",
  { timeout: 600_000 },
  () => {
    const base = mkdtempSync(path.join(tmpdir(), "sylk-installed-"));
    try {
      const [prefix, home, project] = ["prefix", "home", "project"].map((name) => path.join(base, name)) as [string, string, string];
      for (const dir of [home, project]) mkdirSync(dir);
      const run = (file: string, args: string[], cwd: string, env: NodeJS.ProcessEnv): string =>
        execFileSync(file, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
      const tarball = run(process.execPath, ["scripts/pack.ts", base], ROOT, process.env).trim();
      // How the registry is reached is the machine's own business.
      run("npm", ["install", "-g", "--prefix", prefix, "--no-audit", "--no-fund", tarball], base, { ...process.env, HOME: home });
      const clean = { PATH: process.env["PATH"], HOME: home };
      const sylk = (...args: string[]): string => run(path.join(prefix, "bin/sylk"), args, project, clean);
      expect(sylk("--version").trim()).toMatch(/^\d+\.\d+\.\d+$/u);
      expect(existsSync(path.join(prefix, "share/man/man1/sylk.1"))).toBe(true);
      expect(JSON.parse(sylk("doctor", "--json"))).toMatchObject({ healthy: true });
      expect(sylk("demo", "--quiet")).toContain("A6");
    } finally {
      rmSync(base, { recursive: true, force: true });
    }
  },
);
