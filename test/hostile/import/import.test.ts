/**
 * The attacker has a repository that somebody imports another tool's set-up of. He wants a secret copied into files
 * that are committed, a file written where none belongs, or an import that stops half-way without a word.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { runSylk } from "../../support/run-sylk.ts";
import { tempDir } from "../../support/temp.ts";

const TOKEN = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;

interface Item {
  name: string;
  state: string;
  to: string | null;
  why?: string;
}

function place(files: Readonly<Record<string, string>>) {
  const base = realpathSync(tempDir("sylk-import"));
  const dir = path.join(base, "project");
  mkdirSync(path.join(base, "home"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
    writeFileSync(path.join(dir, name), text);
  }
  execFileSync("git", ["init", "-q", dir]);
  const env = { PATH: process.env["PATH"], HOME: path.join(base, "home"), SYLK_HOME: path.join(base, "sylk"), NO_COLOR: "1" };
  const sylk = (...args: string[]) => runSylk(dir, env, args);
  const link = (target: string, name: string): void => {
    mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
    symlinkSync(target, path.join(dir, name));
  };
  const items = async (...args: string[]): Promise<Item[]> =>
    (JSON.parse((await sylk("import", ...args, "--json")).out) as { items: Item[] }).items;
  return { dir, sylk, link, items };
}

test("no value of a server's entry gets into the project that is more than variables", { timeout: 60_000 }, async () => {
  const at = place({
    ".cursor/mcp.json": JSON.stringify({
      mcpServers: {
        env: {
          command: "x",
          env: {
            DB_PASSWORD: "hunter$ecretPass99xyz",
            API_TOKEN: `${TOKEN}\${HOME}`,
            A_KEY: "$A_KEY",
            B_KEY: "${env:B_KEY}",
            C_KEY: "${C:-fallback4711}",
          },
        },
        header: { url: "https://a.example/mcp", headers: { Authorization: "Bearer ${X}literal", "X-Key": "Bearer ${Y}" } },
        pair: { command: "docker", args: ["run", "-e", "GITHUB_TOKEN=plainvalue12345", "image:latest"] },
        words: { command: "npx", args: ["remote", "--header", "Authorization: Bearer abcd1234efgh5678"] },
        inner: { command: "docker", args: ["run", "--env=GITHUB_TOKEN=plainvalue12345"] },
        path: { url: "https://a.example/s/k3y9Zq81xx/mcp" },
        fine: {
          command: "docker",
          args: ["run", "-e", "GITHUB_TOKEN", "-e", "A_TOKEN=${A_TOKEN}", "ghcr.io/a/auth:latest", "https://auth.example:8080/mcp/v2"],
        },
      },
    }),
  });
  const { out, err } = await at.sylk("import", "cursor", "--yes");
  const list = readFileSync(path.join(at.dir, ".mcp.json"), "utf8");
  expect(list + out + err).not.toMatch(/hunter|ecretPass|ghp_|literal|plainvalue|abcd1234|k3y9|fallback4711/u);
  expect(JSON.parse(list)).toEqual({
    mcpServers: {
      env: {
        command: "x",
        args: [],
        env: { DB_PASSWORD: "${DB_PASSWORD}", API_TOKEN: "${API_TOKEN}", A_KEY: "${A_KEY}", B_KEY: "${B_KEY}", C_KEY: "${C_KEY}" },
      },
      header: {
        type: "http",
        url: "https://a.example/mcp",
        headers: { Authorization: "Bearer ${HEADER_AUTHORIZATION}", "X-Key": "Bearer ${Y}" },
      },
      fine: {
        command: "docker",
        args: ["run", "-e", "GITHUB_TOKEN", "-e", "A_TOKEN=${A_TOKEN}", "ghcr.io/a/auth:latest", "https://auth.example:8080/mcp/v2"],
      },
    },
  });
});

test("no link is followed, and neither an ignored nor a secret file is brought", { timeout: 60_000 }, async () => {
  const at = place({
    ".env": "PIN=PELICAN",
    ".gitignore": "cfg/\n.cursor/commands/own.md\n",
    "cfg/SKILL.md": "---\nname: x\ndescription: x\n---\nPELICAN",
    ".cursor/commands/own.md": "PELICAN",
    ".cursor/commands/go.md": "HERON",
    ".cursor/skills/y/SKILL.md": "---\nname: y\ndescription: y\n---\nY",
    ".cursor/skills/y/.env": "PELICAN",
    "notes.md": "PELICAN",
  });
  at.link("../../.env", ".cursor/rules/a.md");
  at.link("../../notes.md", ".cursor/rules/b.md");
  at.link("../../cfg", ".cursor/skills/x");
  const { out } = await at.sylk("import", "cursor", "--yes");
  expect(out).toContain("own.md: is ignored by git");
  expect(out).toContain("b.md: is a link, and links are not followed");
  expect(out).toContain(".env is a file for secrets");
  expect(readdirSync(path.join(at.dir, ".sylk/commands"))).toEqual(["go.md"]);
  expect(existsSync(path.join(at.dir, ".agents"))).toBe(false);
  expect(existsSync(path.join(at.dir, "AGENTS.md"))).toBe(false);
});

test("every name has a file of its own, nothing goes into the git folder, and a link in the way is told", { timeout: 60_000 }, async () => {
  const at = place({
    ".cursor/commands/日本.md": "one",
    ".cursor/commands/中国.md": "two",
    ".cursor/skills/日本/SKILL.md": "---\nname: 日本\ndescription: x\n---\nX",
    ".cursor/rules/g.mdc": "---\nglobs: .git/*\n---\nrule",
    ".cursor/agents/helper.md": "---\nname: helper\ndescription: helps\n---\nYou help.\n",
    "elsewhere/a": "",
  });
  at.link("../elsewhere", ".sylk/agents");
  const items = await at.items("cursor");
  expect(items.map(({ to }) => to)).toEqual([
    "AGENTS.md",
    expect.stringMatching(/^\.agents\/skills\/named-\w{8}$/u),
    expect.stringMatching(/^\.sylk\/commands\/named-\w{8}\.md$/u),
    expect.stringMatching(/^\.sylk\/commands\/named-\w{8}\.md$/u),
    ".sylk/agents/helper.md",
  ]);
  expect(items.at(-1)).toMatchObject({ state: "clash", why: ".sylk/agents is a link, and nothing is written through links" });
  expect((await at.sylk("import", "cursor", "--yes")).code).toBe(0);
  expect(readdirSync(path.join(at.dir, "elsewhere"))).toEqual(["a"]);
  expect(existsSync(path.join(at.dir, ".git/AGENTS.md"))).toBe(false);
});

test("what cannot be written stops nothing else, and both are listed", { timeout: 60_000 }, async () => {
  const at = place({ ".cursor/commands/go.md": "go", ".cursor/rules/a.md": "rule", ".sylk/commands": "a file where a folder belongs" });
  const { code, err } = await at.sylk("import", "cursor", "--yes");
  expect(code).not.toBe(0);
  expect(err).toContain("not written  .sylk/commands/go.md");
  expect(err).toContain(`written  ${path.join(at.dir, "AGENTS.md")}`);
  expect(readFileSync(path.join(at.dir, "AGENTS.md"), "utf8")).toContain("rule");
});

test("nothing of a skill that is brought makes a repository inside the project", { timeout: 60_000 }, async () => {
  const skill = "---\nname: one\ndescription: one\n---\nsay\n";
  const at = place({
    ".codex/skills/one/SKILL.md": skill,
    ".codex/skills/one/.git/hooks/pre-commit": "#!/bin/sh\n",
    ".codex/skills/one/.git/HEAD": "ref: refs/heads/main\n",
    ".codex/skills/two/SKILL.md": skill,
    ".codex/skills/two/below/.GIT/HEAD": "ref: refs/heads/main\n",
  });
  const items = await at.items("codex", "--project");
  expect(items.map(({ name, state, why }) => [name, state, why])).toEqual([
    ["one", "left_out", expect.stringContaining("nothing is written into a git folder")],
    ["two", "left_out", expect.stringContaining("nothing is written into a git folder")],
  ]);
  await at.sylk("import", "codex", "--project", "--yes");
  expect(existsSync(path.join(at.dir, ".agents"))).toBe(false);
});

test("a line that is offered to be typed says to a shell what it says to its reader", { timeout: 60_000 }, async () => {
  const rule = "npm test `touch pwned` $HOME \"a\" 'b' \\";
  const at = place({ ".claude/settings.json": JSON.stringify({ permissions: { allow: [`Bash(${rule})`] } }) });
  const [item] = await at.items("claude", "--project");
  const line = /`sylk permissions allow (.+)`$/u.exec(item?.why ?? "")?.[1] ?? "";
  const shell = execFileSync("sh", ["-c", `printf %s ${line}`], { cwd: at.dir, encoding: "utf8" });
  expect([shell, existsSync(path.join(at.dir, "pwned"))]).toEqual([rule, false]);
});

test("rules for folders that no folder can be called are rules all the same", { timeout: 60_000 }, async () => {
  const rules = (globs: string): string => `---\nglobs: ${JSON.stringify(globs)}\n---\nSay so.\n`;
  const at = place({
    ".cursor/rules/long.mdc": rules(`${"x".repeat(300)}/**`),
    ".cursor/rules/odd.mdc": rules("a\u0000b/**"),
    ".cursor/rules/circle.mdc": rules("circle/**"),
  });
  at.link("circle", "circle");
  expect((await at.items("cursor", "--project")).map(({ state, to }) => [state, to])).toEqual([["new", "AGENTS.md"]]);
});
