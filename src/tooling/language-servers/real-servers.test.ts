/** The servers people use, inside the real sandbox: what an edit breaks, where a name is used, what renaming it changes. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../kernel/index.ts";
import { leftOut, notInstalled } from "../../../test/support/installed.ts";
import { lookedAt } from "../../../test/support/looked-at.ts";
import { NO_SANDBOX, sandboxWith } from "../../../test/support/sandboxed.ts";
import { putFiles, tempFolder } from "../../../test/support/temp-workspace.ts";
import { createLanguageServers } from "./language-servers.ts";

const never = new AbortController().signal;

interface Case {
  language: string;
  programs: string[];
  files: Record<string, string>;
  file: string;
  line: number;
  name: string;
  /** Replaced by a name that nobody defined. */
  breaks: string;
  uses: number;
  /** Written in one change: one that uses the other, and that. */
  together: [string, string];
}

const CASES: Case[] = [
  {
    language: "typescript",
    together: ['import { extra } from "./extra.js";\nexport const user = extra + 1;\n', "export const extra = 1;\n"],
    programs: ["tsc"],
    files: {
      "tsconfig.json": `{"compilerOptions":{"strict":true,"noEmit":true}}`,
      "a.ts": "export function add(first: number): number {\n  return first + 1;\n}\n",
      "b.ts": 'import { add } from "./a.js";\nexport const sum = add(1);\n',
    },
    file: "a.ts",
    line: 1,
    name: "add",
    breaks: "first + 1",
    uses: 3,
  },
  {
    language: "python",
    together: ["from extra import extra\n\nuser = extra + 1\n", "extra = 1\n"],
    programs: ["pyright-langserver"],
    files: {
      "pyproject.toml": '[project]\nname = "x"\n',
      "a.py": "def add(first: int) -> int:\n    return first + 1\n",
      "b.py": "from a import add\n\nsum: int = add(1)\n",
    },
    file: "a.py",
    line: 1,
    name: "add",
    breaks: "first + 1",
    uses: 3,
  },
  {
    language: "go",
    together: ["package x\n\nvar User = extra + 1\n", "package x\n\nvar extra = 1\n"],
    programs: ["gopls", "go"],
    files: {
      "go.mod": "module example.com/x\n\ngo 1.18\n",
      "a.go": "package x\n\nfunc Add(first int) int {\n\treturn first + 1\n}\n",
      "b.go": "package x\n\nvar Sum = Add(1)\n",
    },
    file: "a.go",
    line: 3,
    name: "Add",
    breaks: "first + 1",
    uses: 2,
  },
  {
    language: "c",
    together: ["int extra(void);\nint user(void) { return extra(); }\n", "int extra(void) { return 1; }\n"],
    programs: ["clangd"],
    files: {
      "compile_flags.txt": "-Wall\n",
      "a.c": "int add(int first) {\n  return first + 1;\n}\nint sum(void) { return add(1); }\n",
    },
    file: "a.c",
    line: 1,
    name: "add",
    breaks: "first + 1",
    uses: 2,
  },
];

for (const { language, programs, files, file, line, name, breaks, uses, together } of CASES) {
  const missing = NO_SANDBOX ?? notInstalled(programs);
  test.skipIf(missing !== "")(`~FMT-027 ~FMT-028: ${language} is served by its own server in the sandbox${leftOut(missing)}`, async () => {
    const folder = tempFolder("real");
    putFiles(folder, files);
    const sandbox = sandboxWith();
    const servers = createLanguageServers({
      env: process.env,
      clock: systemClock,
      sandbox: () => sandbox,
      mode: () => "sandboxed",
      trusts: () => false,
      deadlineMs: () => 60_000,
    });
    const original = files[file] as string;
    const edit = async (text: string): Promise<string[]> => {
      await servers.changing(lookedAt(folder), [file]);
      writeFileSync(path.join(folder, file), text);
      const report = await servers.changed(lookedAt(folder), [file], never);
      expect(report.missing).toEqual([]);
      return report.problems.map((one) => `${one.path} ${one.severity} ${one.message}`);
    };
    const broken = original.replace(breaks, "nobody");
    expect(await edit(broken)).toEqual([expect.stringMatching(new RegExp(`^${file} error .*nobody`, "u"))]);
    // What is wrong already is not said again.
    expect(await edit(`\n${broken}`)).toEqual([]);
    expect(await edit(original)).toEqual([]);
    const found = await servers.locate(lookedAt(folder), "references", { path: file, line, name }, never);
    expect(found.kind === "found" ? found.places.length : found).toBe(uses);
    const renamed = await servers.rename(lookedAt(folder), { path: file, line, name }, "plus", never);
    const texts = renamed.kind === "renamed" ? renamed.files.map((one) => one.text).join("\n") : "";
    expect(texts.match(/\bplus\b/gu)).toHaveLength(uses);
    // A file that another one of the same change needs.
    const [extra, user] = [file.replace("a.", "extra."), file.replace("a.", "user.")];
    await servers.changing(lookedAt(folder), [user, extra]);
    putFiles(folder, { [user]: together[0], [extra]: together[1] });
    expect(await servers.changed(lookedAt(folder), [user, extra], never)).toEqual({ problems: [], missing: [] });
    for (const added of [user, extra]) rmSync(path.join(folder, added));
    await servers.close();
    expect(readFileSync(path.join(folder, file), "utf8")).toBe(original);
    expect(readdirSync(folder).toSorted()).toEqual(Object.keys(files).toSorted());
  });
}
