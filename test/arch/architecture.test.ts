/** Guards of the guards: every rule of the house is broken on purpose in a small tree, and must be seen. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { checkArchitecture } from "../../scripts/architecture/check.ts";
import { UNUSED_MEMBERS } from "../../scripts/architecture/rules.ts";

const REPOSITORY = path.join(import.meta.dirname, "../..");
const made: string[] = [];

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true });
});

type Files = Record<string, string>;

const MANIFEST = JSON.stringify({ scripts: { start: "node src/surface/cli/main.ts" }, dependencies: { zod: "4.0.0" } });

/** A house that breaks no rule. */
const SOUND: Files = {
  "package.json": MANIFEST,
  "src/kernel/index.ts": `export { clock } from "./clock.ts";\n`,
  "src/kernel/clock.ts": `export const clock = () => Date.now();\n`,
  "src/app/index.ts": `export { api } from "./api.ts";\n`,
  "src/app/api.ts": `import { z } from "zod";\nimport { clock } from "../kernel/index.ts";\nexport const api = () => z.number().parse(clock());\n`,
  "src/surface/cli/main.ts": `const { api } = await import("../../app/index.ts");\nconsole.log(api());\n`,
};

function findings(files: Files, layersOnly = false): string[] {
  const root = mkdtempSync(path.join(tmpdir(), "sylk-arch-"));
  made.push(root);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  return checkArchitecture(root, { layersOnly }).problems.map((p) => `[${p.rule}] ${p.file}:${p.line} ${p.message}`);
}

test("a sound tree has no problem", () => {
  expect(findings(SOUND)).toEqual([]);
});

test("an empty tree is a failure, not a pass", () => {
  expect(findings({ "package.json": "{}" }, true)).toEqual([expect.stringContaining("no source file was seen")]);
});

test("a missing entry point is a failure", () => {
  const { "src/surface/cli/main.ts": _gone, ...rest } = SOUND;
  expect(findings(rest)).toContainEqual(
    expect.stringContaining("[reach] src/surface/cli/main.ts:1 is named as an entry point but does not exist"),
  );
});

const API = SOUND["src/app/api.ts"] as string;
const CLOCK = SOUND["src/kernel/clock.ts"] as string;

/** Name of the planted fault → files that plant it, and what the report must say. */
const PLANTED: Record<string, { files: Files; says: string }> = {
  "a lower floor imports a higher one": {
    files: { "src/kernel/clock.ts": `import { api } from "../app/index.ts";\nexport const clock = () => (api(), Date.now());\n` },
    says: "[layers] src/kernel/clock.ts:1 floor kernel is below app",
  },
  "a lower floor imports only a type of a higher one": {
    files: { "src/kernel/clock.ts": `import type { api } from "../app/index.ts";\n${CLOCK}` },
    says: "[layers] src/kernel/clock.ts:1 floor kernel is below app",
  },
  "a lower floor names a higher one's type inline": {
    files: { "src/kernel/clock.ts": `${CLOCK}export type X = import("../app/index.ts").api;\n` },
    says: "[layers] src/kernel/clock.ts:2 floor kernel is below app",
  },
  "a lower floor imports a higher one lazily": {
    files: { "src/kernel/clock.ts": `${CLOCK}await import("../app/index.ts");\n` },
    says: "[layers] src/kernel/clock.ts:2 floor kernel is below app",
  },
  "a floor is entered by the window": {
    files: { "src/app/api.ts": API.replace("kernel/index.ts", "kernel/clock.ts") },
    says: "[layers] src/app/api.ts:2 src/kernel/clock.ts is private to kernel",
  },
  "an internal part is used from its own floor": {
    files: {
      "src/app/area/internal/deep.ts": "export const deep = () => 1;\n",
      "src/app/api.ts": `import { deep } from "./area/internal/deep.ts";\n${API}deep();\n`,
    },
    says: "[layers] src/app/api.ts:1 src/app/area/internal/deep.ts is internal to src/app/area",
  },
  "another area of the floor is entered by the window": {
    files: {
      "src/app/area/index.ts": `export { deep } from "./deep.ts";\n`,
      "src/app/area/deep.ts": "export const deep = () => 1;\n",
      "src/app/api.ts": `import { deep } from "./area/deep.ts";\n${API}deep();\n`,
    },
    says: "[layers] src/app/api.ts:1 src/app/area/deep.ts is private to src/app/area",
  },
  "a surface goes around the api": {
    files: {
      "src/journal/index.ts": "export const open = () => 1;\n",
      "src/surface/cli/main.ts": `import { open } from "../../journal/index.ts";\nopen();\n`,
    },
    says: "[layers] src/surface/cli/main.ts:1 surface sees only kernel, protocol, app",
  },
  "two neighbours import each other": {
    files: {
      "src/memory/index.ts": `import { k } from "../knowledge/index.ts";\nexport const m = () => k;\n`,
      "src/knowledge/index.ts": `import { m } from "../memory/index.ts";\nexport const k = () => m;\n`,
    },
    says: "floors knowledge and memory import each other",
  },
  "two folders of a floor use each other, one only for a type": {
    files: {
      "src/app/a/one.ts": `import type { Two } from "../b/two.ts";\nexport const one = (): Two => 1;\n`,
      "src/app/b/two.ts": `export type Two = number;\n`,
      "src/app/b/three.ts": `import { one } from "../a/one.ts";\nexport const three = one;\n`,
      "src/app/api.ts": `import { three } from "./b/three.ts";\n${API}three();\n`,
    },
    says: "[cycles] src/app/a/one.ts:1 a → b is part of a circle in src/app (a, b)",
  },
  "a file uses a folder that uses it back": {
    files: {
      "src/app/a/one.ts": `import { two } from "../two.ts";\nexport const one = () => two();\n`,
      "src/app/two.ts": `import type { one } from "./a/one.ts";\nexport const two = (): typeof one | 1 => 1;\n`,
      "src/app/api.ts": `import { one } from "./a/one.ts";\n${API}one();\n`,
    },
    says: "[cycles] src/app/a/one.ts:1 a → two.ts is part of a circle in src/app (a, two.ts)",
  },
  "three files in a circle": {
    files: {
      "src/app/a.ts": `import { b } from "./b.ts";\nexport const a = () => b;\n`,
      "src/app/b.ts": `import { c } from "./c.ts";\nexport const b = () => c;\n`,
      "src/app/c.ts": `import { a } from "./a.ts";\nexport const c = () => a;\n`,
      "src/app/api.ts": `import { a } from "./a.ts";\n${API}a();\n`,
    },
    says: "[cycles] src/app/c.ts:1 c.ts → a.ts is part of a circle in src/app (a.ts, b.ts, c.ts)",
  },
  "code looks above the ground": {
    files: { "src/guard/index.ts": "export const g = 1;\n", "src/code/index.ts": `export { g } from "../guard/index.ts";\n` },
    says: "[layers] src/code/index.ts:1 code sees only kernel, protocol, journal, not guard",
  },
  "a folder that is no floor": {
    files: { "src/misc/thing.ts": "export const thing = 1;\n" },
    says: "[layers] src/misc/thing.ts:1 src/misc is not a floor",
  },
  "product code imports a test file's support": {
    files: {
      "test/support/fake.ts": "export const fake = 1;\n",
      "src/app/api.ts": `import { fake } from "../../test/support/fake.ts";\n${API}void fake;\n`,
    },
    says: "[layers] src/app/api.ts:1 product code imports test/support/fake.ts",
  },
  "the database outside its door": {
    files: { "src/app/api.ts": `import { DatabaseSync } from "node:sqlite";\n${API}void DatabaseSync;\n` },
    says: "[doors] src/app/api.ts:1 node:sqlite opens the database driver",
  },
  "a process outside its door, without the node: prefix": {
    files: { "src/app/api.ts": `import { spawn } from "child_process";\n${API}void spawn;\n` },
    says: "[doors] src/app/api.ts:1 child_process opens child processes",
  },
  "a process outside its door, lazily": {
    files: { "src/app/api.ts": `${API}export const run = () => import("node:child_process");\n` },
    says: "[doors] src/app/api.ts:4 node:child_process opens child processes",
  },
  "a model SDK outside its door": {
    files: { "src/app/api.ts": `import { createOpenAI } from "@ai-sdk/openai";\n${API}void createOpenAI;\n` },
    says: "[doors] src/app/api.ts:1 @ai-sdk/openai opens a model SDK",
  },
  "a lease taken by hand": {
    files: { "src/app/api.ts": `${API}declare const store: { work: { claim(key: string): void } };\nstore.work.claim("x");\n` },
    says: "store.work.claim opens a lease",
  },
  "a file written outside its door": {
    files: { "src/app/api.ts": `import { writeFileSync } from "node:fs";\n${API}writeFileSync("x", "");\n` },
    says: "[doors] src/app/api.ts:1 node:fs#writeFileSync opens writing files",
  },
  "a file removed outside its door, with promises and without the node: prefix": {
    files: { "src/app/api.ts": `import { readFile, rm } from "fs/promises";\n${API}await readFile("x");\nawait rm("x");\n` },
    says: "[doors] src/app/api.ts:1 node:fs/promises#rm opens writing files",
  },
  "files through the namespace": {
    files: { "src/app/api.ts": `import * as fs from "node:fs";\n${API}fs.rmSync("x");\n` },
    says: "[doors] src/app/api.ts:1 node:fs#* opens writing files",
  },
  "files through a lazy import": {
    files: { "src/app/api.ts": `${API}export const fs = () => import("node:fs/promises");\n` },
    says: "[doors] src/app/api.ts:4 node:fs/promises#* opens writing files",
  },
  "a function of an interface that nobody calls": {
    files: {
      "src/app/api.ts": `${API}export interface Thing {\n  used(): void;\n  lost(): void;\n}\nconst it: Thing = { used() {}, lost() {} };\nit.used();\n`,
    },
    says: "[members] src/app/api.ts:6 nobody calls Thing.lost; connect it or delete it",
  },
  "a function of an interface that only a test calls": {
    files: {
      "src/app/api.ts": `${API}export interface Thing {\n  lost?: ((n: number) => void) | undefined;\n}\nexport const it: Thing = { lost() {} };\n`,
      "src/app/api.test.ts": `import { it } from "./api.ts";\nit.lost?.(1);\n`,
    },
    says: "[members] src/app/api.ts:5 nobody calls Thing.lost",
  },
  "an option that nobody gives": {
    files: {
      "src/app/api.ts": `${API}export interface Options {\n  loud?: boolean;\n}\nconst say = (options: Options) => options.loud;\nsay({});\n`,
    },
    says: "[members] src/app/api.ts:5 nobody gives Options.loud",
  },
  "a floor that shows too much": {
    files: {
      "src/app/index.ts": `export { api } from "./api.ts";\n${Array.from({ length: 40 }, (_, i) => `export const n${i} = ${i};\n`).join("")}`,
    },
    says: "[width] src/app/index.ts:1 app shows 41 names, more than 40",
  },
  "more claims of a type than a few": {
    files: { "src/app/api.ts": `${API}void (1 as unknown as string);\nvoid ([1] as const);\n` },
    says: "[casts] src/app/api.ts:1 2 casts, more than 1 (5 in 1,000 lines)",
  },
  "an app that grows into a second business layer": {
    files: { "src/app/api.ts": `${API}${"\n".repeat(1_998)}` },
    says: "[size] src/app:1 app has 2002 lines, more than 2000; move rules to the floor they belong to",
  },
  "a table keyed by role names": {
    files: { "src/app/api.ts": `${API}void { engineer: 1, tester: 2, architect: 3 };\n` },
    says: "[roles] src/app/api.ts:4 a table keyed by role names",
  },
  "the home folder outside its door": {
    files: { "src/app/api.ts": `import { homedir } from "node:os";\n${API}homedir();\n` },
    says: "[doors] src/app/api.ts:1 node:os#homedir opens the home or temp folder",
  },
  "the temp folder through the namespace": {
    files: { "src/app/api.ts": `import os from "node:os";\n${API}os.tmpdir();\n` },
    says: "[doors] src/app/api.ts:5 os.tmpdir opens the home or temp folder",
  },
  "the clock outside its door": {
    files: { "src/app/api.ts": `${API}Date.now();\n` },
    says: "[doors] src/app/api.ts:4 Date.now opens the time of day",
  },
  "today outside its door": {
    files: { "src/app/api.ts": `${API}void new Date();\n` },
    says: "[doors] src/app/api.ts:4 new Date() opens the time of day",
  },
  "a timer that is never let go": {
    files: { "src/app/api.ts": `${API}setTimeout(() => 1, 5);\n` },
    says: "[doors] src/app/api.ts:4 setTimeout opens a timer that keeps the process alive",
  },
  "library code prints": {
    files: { "src/app/api.ts": `${API}console.log(1);\n` },
    says: "[doors] src/app/api.ts:4 console.log opens printing",
  },
  "a command prints past the door": {
    files: {
      "src/surface/cli/other.ts": "process.stdout.write(`x`);\nprocess.stderr.write(`x`);\n",
      "src/surface/cli/main.ts": `${SOUND["src/surface/cli/main.ts"]}await import("./other.ts");\n`,
    },
    says: "[doors] src/surface/cli/other.ts:2 process.stderr.write opens printing",
  },
  "a command asks past the door": {
    files: {
      "src/surface/cli/other.ts": `await import("@clack/prompts");\n`,
      "src/surface/cli/main.ts": `${SOUND["src/surface/cli/main.ts"]}await import("./other.ts");\n`,
    },
    says: "[doors] src/surface/cli/other.ts:1 @clack/prompts opens questions at the terminal",
  },
  "library code ends the process": {
    files: { "src/app/api.ts": `${API}process.exit(1);\n` },
    says: "[doors] src/app/api.ts:4 process.exit opens ending",
  },
  "a module nothing reaches": {
    files: { "src/app/lost.ts": "export const lost = 1;\n" },
    says: "[reach] src/app/lost.ts:1 no entry point reaches it",
  },
  "a module only a test reaches": {
    files: { "src/app/lost.ts": "export const lost = 1;\n", "src/app/lost.test.ts": `import { lost } from "./lost.ts";\nvoid lost;\n` },
    says: "[reach] src/app/lost.ts:1 no entry point reaches it",
  },
  "a second program nobody starts": {
    files: { "src/surface/cli/main.ts": "", "src/surface/cli/other.ts": "" },
    says: "[reach] src/surface/cli/other.ts:1 no entry point",
  },
  "an unused export": {
    files: { "src/app/api.ts": `${API}export const extra = 1;\n` },
    says: `[exports] src/app/api.ts:4 export "extra" is unused`,
  },
  "an index export that only its own floor uses": {
    files: {
      "src/kernel/index.ts": `export { clock } from "./clock.ts";\nexport { rare } from "./rare.ts";\n`,
      "src/kernel/rare.ts": "export const rare = 1;\n",
    },
    says: `[exports] src/kernel/index.ts:2 export "rare" is unused: no other floor imports it`,
  },
  "an index type that belongs to no signature": {
    files: {
      "src/kernel/index.ts": `export { clock } from "./clock.ts";\nexport type { Rare } from "./clock.ts";\n`,
      "src/kernel/clock.ts": `${CLOCK}export type Rare = 1;\n`,
    },
    says: `[exports] src/kernel/index.ts:2 export "Rare" is unused`,
  },
  "an undeclared dependency": {
    files: { "src/app/api.ts": `import pino from "pino";\n${API}void pino;\n` },
    says: "[dependencies] src/app/api.ts:1 imports pino, which package.json does not declare",
  },
  "a development dependency used by the product": {
    files: {
      "package.json": JSON.stringify({ ...(JSON.parse(MANIFEST) as object), devDependencies: { pino: "1.0.0" } }),
      "src/app/api.ts": `import pino from "pino";\n${API}void pino;\n`,
    },
    says: "which package.json does not declare as a runtime dependency",
  },
  "an unused dependency": {
    files: { "package.json": JSON.stringify({ dependencies: { zod: "4.0.0", pino: "1.0.0" } }) },
    says: "[dependencies] package.json:1 dependency pino is used by no module",
  },
  "an unused development dependency": {
    files: { "package.json": JSON.stringify({ dependencies: { zod: "4.0.0" }, devDependencies: { pino: "1.0.0" } }) },
    says: "development dependency pino is neither imported nor run",
  },
  "a file that is too long": {
    files: { "src/app/api.ts": API + "// more\n".repeat(598) },
    says: "[size] src/app/api.ts:600 has 601 lines",
  },
  "a test that is too long": {
    files: { "src/app/api.test.ts": "export const f = () => 1;\n" + "// more\n".repeat(900) },
    says: "has 901 lines, more than 900",
  },
  "an empty name": { files: { "src/app/string-utils.ts": "" }, says: `[names] src/app/string-utils.ts:1 "string-utils" says nothing` },
  "a name in another case": { files: { "src/app/apiThing.ts": "" }, says: `"apiThing" is not kebab-case` },
  "an import that leads nowhere": {
    files: { "src/app/api.ts": `import "./gone.ts";\n${API}` },
    says: "[resolve] src/app/api.ts:1 imports ./gone.ts",
  },
  "a file that is not TypeScript": { files: { "src/app/broken.ts": "const = ;\n" }, says: "[parse] src/app/broken.ts:1 cannot be parsed" },
};

test.each(Object.entries(PLANTED))("the check sees: %s", (_name, planted) => {
  expect(findings({ ...SOUND, ...planted.files })).toContainEqual(expect.stringContaining(planted.says));
});

test("workers, lazy imports, re-exported names and data tables are understood", () => {
  const files: Files = {
    ...SOUND,
    "src/app/api.ts": `${API}export type Shape = { part: Part };\nexport interface Part { a: 1 }\nconst worker = new URL("./job-worker.ts", import.meta.url);\nvoid worker;\nlet timer = setInterval(() => 1, 5);\ntimer.unref();\n`,
    "src/app/index.ts": `export { api, type Shape } from "./api.ts";\n`,
    "src/app/job-worker.ts":
      "import { createRequire } from 'node:module';\ncreateRequire(import.meta.url).resolve(`zod/${process.pid}.js`);\npostMessage(1);\n",
    "src/surface/cli/main.ts": `import type { Shape } from "../../app/index.ts";\nconst { api } = await import("../../app/index.ts");\nconsole.log(api() as unknown as Shape);\n`,
    "src/app/table.ts": "export const TABLE = [\n" + "  1,\n".repeat(700) + "];\n",
    "src/app/job-worker.test.ts": `import { TABLE } from "./table.ts";\nsetTimeout(() => Date.now(), 1);\nvoid TABLE;\n`,
  };
  expect(findings(files).filter((f) => !f.includes("table.ts"))).toEqual([]);
  expect(findings(files).filter((f) => f.startsWith("[size]"))).toEqual([]);
});

test("reading files, two role names, and members that are read, destructured or handed on are no fault", () => {
  const files: Files = {
    ...SOUND,
    "src/app/api.ts": `import { readFileSync } from "node:fs";\n${API}export interface Thing {\n  one(): void;\n  two: () => void;\n  loud?: boolean;\n}\nconst it = (t: Thing) => {\n  const { two } = t;\n  two();\n  t.one();\n};\nit({ one() {}, two() {}, loud: true });\nvoid { engineer: 1, tester: 2, other: readFileSync("x") };\n`,
  };
  expect(findings(files)).toEqual([]);
});

test("what is tolerated no longer than needed: a list that allows more than there is, is a fault of the house", () => {
  const found = findings({ ...SOUND, "scripts/architecture/rules.ts": "" }).join("\n");
  for (const key of Object.keys(UNUSED_MEMBERS)) expect(found).toContain(`${key} is gone or used now`);
  expect(found).toContain("src/workspace/ no longer opens child processes; take it off that door");
});

test("~LLM-001: the real tree keeps every rule: layers, cycles, doors, sizes, names, width, roles, reach, exports, members, dependencies", () => {
  const found = checkArchitecture(REPOSITORY, { layersOnly: false });
  expect(found.problems).toEqual([]);
  expect(found.filesSeen).toBeGreaterThan(10);
});
