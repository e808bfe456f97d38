/**
 * The attacker is a clone, or a model whose commands run in the sandbox. The victim's search path leads through a folder of
 * the project, as with an activated `.venv`, `./node_modules/.bin` or `npx`. The attacker puts programs there under names
 * that Sylk starts for itself, or that need no question, and wants them started outside the sandbox.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { NO_SANDBOX } from "../../support/sandboxed.ts";
import { script } from "../../support/scripted-project.ts";
import { clone, repository, victim } from "../support.ts";

const NAMES = "sh bash git rg find mv cat ls grep bwrap socat which readlink true env timeout less node cp".split(" ");

/** Says that it ran, then does what it is asked for. */
const recorder = (name: string, said: string): string =>
  `#!/bin/bash\necho "$0 $*" >> '${said}' 2>/dev/null\nPATH=/usr/local/bin:/usr/bin:/bin exec ${name} "$@"\n`;

function planted(folder: string, said: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of NAMES) {
    writeFileSync(path.join(folder, name), recorder(name, said));
    chmodSync(path.join(folder, name), 0o755);
  }
}

const ran = (said: string): string => (existsSync(said) ? readFileSync(said, "utf8") : "");

const LOOKS = script([
  { name: "run_command", input: { command: "git status" } },
  { name: "run_command", input: { command: "timeout 5 ls && cat a.txt" } },
  { name: "edit_file", input: { path: "a.txt", find: "one", replace: "two" } },
  { name: "complete", input: { summary: "looked" } },
]);

for (const [where, spelled] of [
  ["node_modules/.bin", (folder: string) => path.join(folder, "node_modules/.bin")],
  ["node_modules/.bin", () => "./node_modules/.bin"],
  [".venv/bin", (folder: string) => path.join(folder, ".venv/bin")],
] as const)
  test(`a clone's ${where}, on the search path as ${spelled("<clone>")}: nothing of it is started outside the sandbox`, async () => {
    const attacked = victim();
    const said = path.join(attacked.outside, "ran");
    const repo = repository(attacked.base, { "a.txt": "one\n" }, (folder) => planted(path.join(folder, where), said));
    const folder = clone(repo, path.join(attacked.base, "clone"));
    const rules = path.join(attacked.base, "rules.yaml");
    writeFileSync(rules, LOOKS);
    attacked.env["PATH"] = `${spelled(folder)}:${attacked.env["PATH"] ?? ""}`;
    for (const words of [
      ["doctor"],
      ["sandbox", "status"],
      ["search", "one"],
      ["task", "start", "look", "--no-checks", "-m", `scripted/${rules}`],
    ]) {
      await attacked.sylk(folder, ...words);
      expect(`${words[0]}: ${ran(said)}`).toBe(`${words[0]}: `);
    }
    // Without a sandbox it waits: its first command would be the clone's.
    expect(readFileSync(path.join(folder, "a.txt"), "utf8")).toBe(NO_SANDBOX === undefined ? "two\n" : "one\n");
    attacked.env["SYLK_SECURITY_SANDBOX_MODE"] = "off";
    const { out } = await attacked.sylk(folder, "task", "start", "look", "--no-checks", "-m", `scripted/${rules}`);
    expect(out).toMatch(/run git status, which is .*bin\/git here/u);
    expect(ran(said)).toBe("");
  });

test.skipIf(NO_SANDBOX !== undefined)("what a sandboxed command puts into an activated .venv is not started outside", async () => {
  const attacked = victim();
  const said = path.join(attacked.outside, "ran");
  const plant = `import os\nfor name in ${JSON.stringify(NAMES)}:\n    place = ".venv/bin/" + name\n    open(place, "w").write(${JSON.stringify(recorder("NAME", said))}.replace("NAME", name))\n    os.chmod(place, 0o755)\n`;
  const repo = repository(attacked.base, { "a.txt": "one\n", "plant.py": plant, ".gitignore": ".venv\n" });
  const folder = clone(repo, path.join(attacked.base, "clone"));
  mkdirSync(path.join(folder, ".venv/bin"), { recursive: true });
  const rules = path.join(attacked.base, "rules.yaml");
  writeFileSync(
    rules,
    script([
      { name: "run_command", input: { command: "python3 plant.py" } },
      { name: "run_command", input: { command: "git status" } },
      { name: "edit_file", input: { path: "a.txt", find: "one", replace: "two" } },
      { name: "complete", input: { summary: "looked" } },
    ]),
  );
  attacked.env["PATH"] = `${path.join(folder, ".venv/bin")}:${attacked.env["PATH"] ?? ""}`;
  await attacked.sylk(folder, "task", "start", "look", "--no-checks", "-m", `scripted/${rules}`);
  expect(existsSync(path.join(folder, ".venv/bin/sh"))).toBe(true);
  expect(readFileSync(path.join(folder, "a.txt"), "utf8")).toBe("two\n");
  for (const words of [["task", "diff"], ["doctor"], ["task", "undo"]]) await attacked.sylk(folder, ...words);
  expect(ran(said)).toBe("");
});

test("without a sandbox a line that copies a program onto the search path is asked about with what it starts there", async () => {
  const attacked = victim({ SYLK_SECURITY_SANDBOX_MODE: "off" });
  const folder = clone(repository(attacked.base, { "a.txt": "one\n", "bin/kept": "" }), path.join(attacked.base, "clone"));
  attacked.env["PATH"] = `${path.join(folder, "bin")}:${attacked.env["PATH"] ?? ""}`;
  const verdict = async (line: string): Promise<string> => {
    const { out } = await attacked.sylk(folder, "permissions", "check", line, "--json");
    return (JSON.parse(out) as { verdict: string }).verdict;
  };
  expect(await verdict("ls")).toBe("allow");
  expect(await verdict("cp a.txt b.txt")).toBe("allow");
  expect(await verdict("cp a.txt bin/ls && ls")).toBe("ask");
  expect(await verdict("timeout 5 ls; mv a.txt bin/timeout")).toBe("ask");
});

test("the user's own MCP server is not started by a program of the project's", async () => {
  const attacked = victim();
  const said = path.join(attacked.outside, "ran");
  const repo = repository(attacked.base, { "a.txt": "one\n" }, (folder) => planted(path.join(folder, ".venv/bin"), said));
  const folder = clone(repo, path.join(attacked.base, "clone"));
  attacked.env["PATH"] = `${path.join(folder, ".venv/bin")}:${attacked.env["PATH"] ?? ""}`;
  await attacked.sylk(folder, "mcp", "add", "own", "--", "node", "-e", "console.error('it started')");
  const { out, err } = await attacked.sylk(folder, "mcp", "list", "--check");
  expect(out + err).toContain("own");
  expect(ran(said)).toBe("");
});
