/** The project's formatter as a text in, text out: real ones in the sandbox, and one of the test's own that misbehaves. */
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { stringify } from "yaml";
import { expect, test } from "vitest";
import { systemClock } from "../kernel/index.ts";
import { createSandbox } from "../workspace/index.ts";
import { defaultSandboxPolicy } from "../../test/support/sandbox-policy.ts";
import { NO_SANDBOX, sandboxWith } from "../../test/support/sandboxed.ts";
import { putFiles, tempFolder } from "../../test/support/temp-workspace.ts";
import { createToolFinder } from "./discover/discover-tools.ts";
import { createFormatter, type Formatter } from "./format-text.ts";

function formatterIn(
  folder: string,
  options: { sandboxed?: boolean; mode?: "off" | "sandboxed" | "always"; timeoutMs?: number } = {},
): Formatter {
  const sandbox =
    options.sandboxed === true
      ? sandboxWith()
      : createSandbox({ policy: { ...defaultSandboxPolicy, mode: "off" }, home: folder, env: {}, clock: systemClock });
  const finder = createToolFinder({ root: folder, clock: systemClock, searchPath: process.env["PATH"], trusts: () => true });
  return createFormatter({
    env: process.env,
    clock: systemClock,
    sandbox: () => sandbox,
    mode: () => options.mode ?? (options.sandboxed === true ? "sandboxed" : "always"),
    discoverIn: () => finder.find(),
    timeoutMs: () => options.timeoutMs ?? 20_000,
  });
}

const signal = new AbortController().signal;
const isInstalled = (program: string): boolean =>
  (process.env["PATH"] ?? "").split(path.delimiter).some((folder) => existsSync(path.join(folder, program)));

const REAL = [
  ["oxfmt", { ".oxfmtrc.json": "{}" }, "a.ts", "const  a = 1", "const a = 1;\n"],
  ["gofmt", { "go.mod": "module x\n" }, "a.go", "package x\nvar  A = 1\n", "package x\n\nvar A = 1\n"],
  ["clang-format", { ".clang-format": "IndentWidth: 4\n" }, "a.c", "int a(){return 1;}\n", "int a() { return 1; }\n"],
] as const;

for (const [program, files, file, text, wanted] of REAL) {
  const missing = NO_SANDBOX ?? (isInstalled(program) ? undefined : program);
  const why = missing === undefined ? "" : ` (left out: not here: ${missing}; scripts/setup.sh installs it)`;
  test.skipIf(missing !== undefined)(
    `~FMT-026: ${program} gives a text the project's form, without a shell, and touches no file${why}`,
    async () => {
      const folder = tempFolder("format");
      putFiles(folder, { ...files, [file]: text });
      const formatter = formatterIn(folder, { sandboxed: true });
      expect(await formatter.format(folder, file, { before: undefined, after: text }, signal)).toEqual({
        text: wanted,
        note: `formatted by ${program}`,
      });
      // A form it never had is not given to parts nobody touched.
      expect(await formatter.format(folder, file, { before: text, after: `${text}\n\n` }, signal)).toBeUndefined();
      expect(await formatter.format(folder, file, { before: wanted, after: wanted }, signal)).toBeUndefined();
      expect(readdirSync(folder).toSorted()).toEqual([...Object.keys(files), file].toSorted());
      await formatter.close();
    },
  );
}

function own(code: string): string {
  const folder = tempFolder("format");
  const row = {
    id: "own",
    category: "formatter",
    languages: ["javascript"],
    extensions: [".js"],
    binaries: ["node"],
    configs: ["own.json"],
  };
  putFiles(folder, { "own.json": "{}", "a.js": "a\n", ".sylk/tools.yaml": stringify([{ ...row, stdin: ["node", "-e", code] }]) });
  return folder;
}

test.each([
  ["fails", "console.error('no such option'); process.exit(2)", "no such option"],
  ["says nothing", "", "it ended with 0"],
  ["hangs", "setInterval(() => 0, 1000)", "no answer within 1 s"],
])("a formatter that %s leaves the text as it is, and is told once", async (_, code, why) => {
  const folder = own(code);
  const formatter = formatterIn(folder, { timeoutMs: 1_000 });
  const one = await formatter.format(folder, "a.js", { before: undefined, after: "b\n" }, signal);
  expect(one).toEqual({ text: "b\n", note: `a.js was not formatted: own: ${why}` });
  expect((await formatter.format(folder, "a.js", { before: undefined, after: "b\n" }, signal))?.note).toBeUndefined();
  await formatter.close();
});

test("nothing is run where nothing is configured, where it is switched off, or where it could not be bounded", async () => {
  const folder = own("require('fs').writeFileSync('ran', '')");
  const bare = tempFolder("format");
  putFiles(bare, { "a.js": "a\n", "b.js": "b\n" });
  expect(await formatterIn(bare).format(bare, "a.js", { before: undefined, after: "b" }, signal)).toBeUndefined();
  expect(await formatterIn(folder, { mode: "off" }).format(folder, "a.js", { before: undefined, after: "b" }, signal)).toBeUndefined();
  const unbounded = await formatterIn(folder, { mode: "sandboxed" }).format(folder, "a.js", { before: undefined, after: "b" }, signal);
  expect(unbounded?.text).toBe("b");
  expect(existsSync(path.join(folder, "ran"))).toBe(false);
});
