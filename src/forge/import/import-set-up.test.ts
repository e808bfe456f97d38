import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp.ts";
import { createRedactor } from "../../guard/index.ts";
import { systemClock } from "../../kernel/index.ts";
import { createImport, type ImportItem, type ImportParts, type ImportRequest } from "./import-set-up.ts";

test("only what was shown is written: a plan that changed meanwhile is refused, and nothing of it is written", async () => {
  const base = tempDir();
  const [projectDir, configDir, home] = ["project", "config", "home"].map((name) => path.join(base, name)) as [string, string, string];
  mkdirSync(path.join(home, ".codex/prompts"), { recursive: true });
  mkdirSync(projectDir);
  const prompt = path.join(home, ".codex/prompts/go.md");
  writeFileSync(prompt, "one");
  const imports = createImport({
    projectDir,
    configDir,
    home,
    env: {},
    clock: systemClock,
    redactor: createRedactor(),
    hooks: () => ({}),
    setHooks: () => ({ file: "" }),
    servers: { add: () => ({ file: "" }), standing: () => ({ file: "", standing: "none" }) },
  });
  const { digest } = await imports.plan({ tool: "codex" });
  writeFileSync(prompt, "two");
  await expect(imports.apply({ tool: "codex", digest })).rejects.toMatchObject({ code: "IMPORT_CHANGED" });
  expect(existsSync(configDir)).toBe(false);
  writeFileSync(prompt, "one");
  expect((await imports.apply({ tool: "codex", digest })).written).toEqual([path.join(configDir, "commands/go.md")]);
});

type Tree = Readonly<Record<string, string>>;

function write(root: string, tree: Tree): void {
  for (const [name, text] of Object.entries(tree)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
}

/** A home, a project and what is there already; what is added to the user's own lists is kept. */
function place(home: Tree, project: Tree, more: Partial<ImportParts> = {}) {
  const base = tempDir();
  const dirs = { base, projectDir: path.join(base, "project"), configDir: path.join(base, "config"), home: path.join(base, "home") };
  for (const dir of [dirs.projectDir, dirs.home]) mkdirSync(dir);
  write(dirs.home, home);
  write(dirs.projectDir, project);
  const set: string[] = [];
  const parts: ImportParts = {
    ...dirs,
    env: {},
    clock: systemClock,
    redactor: createRedactor(),
    hooks: () => ({}),
    setHooks: (hooks) => (set.push(hooks), { file: "config.yaml" }),
    servers: {
      add: (name) => (set.push(name), { file: path.join(dirs.projectDir, ".mcp.json") }),
      standing: () => ({ file: path.join(dirs.projectDir, ".mcp.json"), standing: "none" }),
    },
    ...more,
  };
  const imports = createImport(parts);
  const told = ({ scope, kind, name, state, why }: ImportItem): string =>
    `${scope} ${kind} ${name}: ${state}${why === undefined ? "" : `, ${why}`}`;
  const items = async (request: ImportRequest): Promise<string[]> => (await imports.plan(request)).items.map(told);
  const apply = async (request: ImportRequest) => imports.apply({ ...request, digest: (await imports.plan(request)).digest });
  return { ...dirs, imports, items, apply, set };
}

const STOP = { Stop: [{ hooks: [{ type: "command", command: "true" }] }] };
const SETTINGS = { ".codex/hooks.json": JSON.stringify({ hooks: STOP }) };

test("hooks that the user has are never replaced; the same ones are there already, and none that hold a secret are brought", async () => {
  expect((await place(SETTINGS, {}).apply({ tool: "codex", scope: "user" })).items).toMatchObject([{ state: "new" }]);
  const mine = place(SETTINGS, {}, { hooks: () => ({ Start: [] }) });
  expect(await mine.items({ tool: "codex", scope: "user" })).toEqual(["user hooks Stop: clash, you have hooks already; add these by hand"]);
  await mine.apply({ tool: "codex", scope: "user" });
  expect(mine.set).toEqual([]);
  expect(await place(SETTINGS, {}, { hooks: () => STOP }).items({ tool: "codex", scope: "user" })).toEqual(["user hooks Stop: there"]);
  const token = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
  const secret = place({ ".codex/hooks.json": JSON.stringify({ hooks: { Stop: [{ run: token }] } }) }, {});
  expect(await secret.items({ tool: "codex", scope: "user" })).toEqual([
    "user hooks Stop: left_out, it holds something that looks like a secret",
  ]);
});

test("what may be a secret stays out of a project, which others get; the user's own text is kept unless it is one for certain", async () => {
  const text = ["db_password", "Tr0ub4dor&3\n"].join("=");
  const at = place({ ".cursor/commands/db.md": text }, { ".cursor/commands/db.md": text });
  expect(await at.items({ tool: "cursor" })).toEqual([
    "user command db: new",
    "project command db: left_out, it holds something that looks like a secret",
  ]);
});

test("a skill is not put into a folder that is there, and two of one import do not share a place", async () => {
  const skill = "---\nname: y\ndescription: y\n---\nY\n";
  const at = place(
    {},
    {
      ".cursor/skills/y/SKILL.md": skill,
      ".agents/skills/y/notes.md": "mine",
      ".cursor/commands/Go!.md": "one",
      ".cursor/commands/go.md": "two",
      ".cursor/skills/.hidden/SKILL.md": skill,
      ".cursor/mcp.json": JSON.stringify({ mcpServers: { "a b": { command: "x" }, "a-b": { command: "y" } } }),
    },
  );
  expect(await at.items({ tool: "cursor", scope: "project" })).toEqual([
    "project skill y: clash, .agents/skills/y is there already, and says something else",
    "project command go: new",
    "project command go: clash, another one of this import has its place",
    "project mcp_server a-b: new",
    "project mcp_server a-b: clash, another one of this import has this name",
  ]);
  await at.apply({ tool: "cursor", scope: "project" });
  expect([at.set, readFileSync(path.join(at.projectDir, ".sylk/commands/go.md"), "utf8")]).toEqual([["a-b"], "one"]);
  expect(existsSync(path.join(at.projectDir, ".agents/skills/y/SKILL.md"))).toBe(false);
});

test("what becomes executable, or another server, is another plan; what is written into the user's configuration is the user's alone", async () => {
  const skill = { ".codex/skills/y/SKILL.md": "---\nname: y\ndescription: y\n---\nY\n", ".codex/skills/y/run.sh": "true\n" };
  const list = (command: string): Tree => ({ ".codex/config.toml": `[mcp_servers.one]\ncommand = "${command}"\n` });
  const at = place({ ".codex/prompts/go.md": "go" }, { ...skill, ...list("x") });
  const { digest } = await at.imports.plan({ tool: "codex" });
  chmodSync(path.join(at.projectDir, ".codex/skills/y/run.sh"), 0o755);
  await expect(at.imports.apply({ tool: "codex", digest })).rejects.toMatchObject({ code: "IMPORT_CHANGED" });
  chmodSync(path.join(at.projectDir, ".codex/skills/y/run.sh"), 0o644);
  write(at.projectDir, list("rm"));
  await expect(at.imports.apply({ tool: "codex", digest })).rejects.toMatchObject({ code: "IMPORT_CHANGED" });
  write(at.projectDir, list("x"));
  await at.imports.apply({ tool: "codex", digest });
  expect(statSync(path.join(at.configDir, "commands/go.md")).mode & 0o777).toBe(0o600);
  expect(statSync(path.join(at.projectDir, ".agents/skills/y/run.sh")).mode & 0o111).toBe(0);
});

test("another folder is read in place of the project, or of the home where that is asked for, wherever the user moved the tool's own", async () => {
  const at = place({ ".claude/CLAUDE.md": "home" }, {}, {});
  write(at.base, { "other/.claude/CLAUDE.md": "other", "moved/CLAUDE.md": "moved" });
  const moved = place({ ".claude/CLAUDE.md": "home" }, {}, { env: { CLAUDE_CONFIG_DIR: path.join(at.base, "moved") } });
  const from = path.join(at.base, "other");
  expect(await moved.items({ tool: "claude", from })).toEqual(["project rules CLAUDE.md: new"]);
  await moved.apply({ tool: "claude", from, scope: "user" });
  expect(readFileSync(path.join(moved.configDir, "AGENTS.md"), "utf8")).toBe("other");
  const own = place({ ".claude/CLAUDE.md": "home" }, {}, { env: { CLAUDE_CONFIG_DIR: path.join(at.base, "moved") } });
  await own.apply({ tool: "claude" });
  expect(readFileSync(path.join(own.configDir, "AGENTS.md"), "utf8")).toBe("moved");
});

test("a home that is the project is brought once, as the user's own", async () => {
  const base = tempDir();
  write(base, { ".claude/CLAUDE.md": "home" });
  const at = place({}, {}, { home: base, projectDir: base });
  expect(await at.items({ tool: "claude" })).toEqual(["user rules CLAUDE.md: new"]);
});

test("rules of one tool are read here where no others are; else they are brought", async () => {
  const gemini = { "GEMINI.md": "Tabs.\n" };
  expect(await place({}, gemini).items({ tool: "gemini" })).toEqual(["project rules GEMINI.md: used"]);
  expect(await place({}, { ...gemini, "CLAUDE.md": "x" }).items({ tool: "gemini" })).toEqual(["project rules GEMINI.md: new"]);
});

test("a role has a name that roles can have", async () => {
  const role = (name: string): string => `---\nname: ${name}\ndescription: x\n---\nYou help.\n`;
  const at = place({ ".claude/agents/a.md": role("all"), ".claude/agents/b.md": role("user"), ".claude/agents/c.md": role("1st") }, {});
  expect(await at.items({ tool: "claude", scope: "user" })).toEqual(
    ["all", "user", "1st"].map((name) => `user role ${name}: left_out, its name cannot be a role's here`),
  );
});

test("what is too large, no text or no list is told by its name, without a word of it", async () => {
  const large = "x".repeat(1024 * 1024 + 1);
  const broken = { ".cursor/mcp.json": '{ "mcpServers": { "a": PELICAN', ".codex/config.toml": "key = PELICAN" };
  const many = Object.fromEntries(Array.from({ length: 201 }, (_one, at) => [`.cursor/skills/y/${at}.md`, "x"]));
  const at = place(
    { ".cursor/commands/large.md": large, ".codex/config.toml": broken[".codex/config.toml"] },
    {
      ".cursor/commands/large.md": large,
      ".cursor/commands/odd.md": "a\0b",
      ".cursor/mcp.json": broken[".cursor/mcp.json"],
      ".cursor/skills/y/SKILL.md": "---\nname: y\ndescription: y\n---\nY\n",
      ...many,
    },
  );
  write(at.projectDir, { ".cursor/skills/z/SKILL.md": "---\nname: z\ndescription: z\n---\nZ\n" });
  for (let n = 0; n < 400; n += 1) mkdirSync(path.join(at.projectDir, `.cursor/skills/z/${n}`));
  expect(await at.items({ tool: "cursor" })).toEqual([
    "user command large: left_out, is too large",
    "project skill y: left_out, holds more than 200 files or 5 MB",
    "project skill z: left_out, holds more than 200 files or 5 MB",
    "project command large: left_out, is too large",
    "project command odd: left_out, is not text",
    "project mcp_server mcp.json: left_out, is not JSON",
  ]);
  expect(await at.items({ tool: "codex", scope: "user" })).toEqual(["user mcp_server config.toml: left_out, is not TOML"]);
});

test("rules of another tool about commands are told with the line that says them here, where there is one and it allows or refuses", async () => {
  const permissions = { allow: ["Bash(npm test)", "Bash(npm run:*)"], deny: ["Read(./x)"], ask: ["Bash(git push)"] };
  const at = place({ ".claude/settings.json": JSON.stringify({ permissions }) }, {});
  const others = "rules of another tool are not taken over; `sylk permissions` says how rules are written here";
  expect(await at.items({ tool: "claude", scope: "user" })).toEqual([
    "user permissions allow: Bash(npm test), Bash(npm run:*): left_out, rules of another tool are not taken over; `sylk permissions allow 'npm test'`",
    `user permissions deny: Read(./x): left_out, ${others}`,
    `user permissions ask: Bash(git push): left_out, ${others}`,
  ]);
});

test("what is otherwise here is said beside it: files taken in, lines that ran, rights of a role that only a project knows; what is switched off is not brought", async () => {
  const role = "---\nname: helper\ndescription: helps\n---\nYou help.\n";
  const at = place(
    {
      ".claude/CLAUDE.md": "See @docs/style.md\n",
      ".claude/commands/a.md": "Now: !`date`\n",
      ".gemini/commands/b.toml": 'prompt = "!{date}"\n',
    },
    { ".claude/agents/helper.md": role, ".claude/agents/off.md": role.replace("name: helper", "name: off\ndisable: true") },
  );
  expect(await at.items({ tool: "claude" })).toEqual([
    "user rules CLAUDE.md: new, what it takes in by @ is not brought",
    "user command a: new, what it runs with ! is text here",
    "project role helper: new, a role that only a project knows may read; a file of your own gives it more",
    "project role off: left_out, is switched off there",
  ]);
  expect(await at.items({ tool: "gemini" })).toEqual(["user command b: new, what it runs with ! is text here"]);
});

test("servers that the user keeps for this project are the user's; a project names none for anybody else", async () => {
  const listFor = (dir: string): string => JSON.stringify({ projects: { [dir]: { mcpServers: { mine: { command: "x" } } } } });
  const at = place({}, {});
  write(at.home, { ".claude.json": listFor(at.projectDir) });
  write(at.projectDir, { ".gemini/settings.json": listFor(at.projectDir) });
  expect(await at.items({ tool: "claude" })).toEqual(["user mcp_server mine: new"]);
  expect(await at.items({ tool: "gemini" })).toEqual([]);
  write(at.home, { ".claude.json": listFor("/elsewhere") });
  expect(await at.items({ tool: "claude" })).toEqual([]);
});

test("rules that hold in one folder of the project go there; all others stay at its top", async () => {
  const rule = (front: string): string => `---\n${front}\n---\nrule\n`;
  const at = place(
    {},
    {
      "src/a.ts": "",
      file: "",
      ".cursor/rules/1.mdc": rule("globs: src/*.ts"),
      ".cursor/rules/2.mdc": rule("globs: src/*.ts, lib/*.ts"),
      ".cursor/rules/3.mdc": rule("globs: ../other/*.ts"),
      ".cursor/rules/4.mdc": rule("globs: file/*.ts"),
      ".cursor/rules/5.mdc": rule("globs: .git/*"),
      ".cursor/rules/6.mdc": rule('alwaysApply: "true"'),
    },
  );
  mkdirSync(path.join(at.base, "other"));
  mkdirSync(path.join(at.projectDir, ".git"));
  const { items } = await at.imports.plan({ tool: "cursor", scope: "project" });
  expect(items.map(({ to, from }) => [to, from.replaceAll(/\D+/gu, "")])).toEqual([
    ["src/AGENTS.md", "1"],
    ["AGENTS.md", "23456"],
  ]);
});

test("a tool's own folder is where the user moved it, by a whole path only", async () => {
  const at = place({}, {});
  const list = JSON.stringify({ mcpServers: { mine: { command: "x" } } });
  write(at.base, { "moved/CLAUDE.md": "moved", "moved/.claude.json": list, "xdg/opencode/AGENTS.md": "moved" });
  write(at.home, { ".claude/CLAUDE.md": "home", ".claude.json": "{}", "moved/CLAUDE.md": "no", ".config/opencode/AGENTS.md": "home" });
  const wrote = async (tool: "claude" | "opencode", env: Record<string, string>): Promise<string[]> => {
    const other = place({}, {}, { home: at.home, env });
    const { items } = await other.apply({ tool, scope: "user" });
    return [readFileSync(path.join(other.configDir, "AGENTS.md"), "utf8"), ...items.slice(1).map(({ name }) => name)];
  };
  expect(await wrote("claude", { CLAUDE_CONFIG_DIR: path.join(at.base, "moved") })).toEqual(["moved", "mine"]);
  expect(await wrote("claude", { CLAUDE_CONFIG_DIR: "moved" })).toEqual(["home"]);
  expect(await wrote("opencode", { XDG_CONFIG_HOME: path.join(at.base, "xdg") })).toEqual(["moved"]);
  expect(await wrote("opencode", { XDG_CONFIG_HOME: "xdg" })).toEqual(["home"]);
});

test("a list of tasks of which none is open, hooks of which there are none, and a role that says nothing of itself bring nothing", async () => {
  const task = { id: 1, title: "one", status: "done" };
  const at = place(
    {},
    { ".taskmaster/tasks/tasks.json": JSON.stringify({ tasks: [task, { title: "no id" }] }), ".cursor/hooks.json": '{"hooks":{}}' },
  );
  expect(await at.items({ tool: "taskmaster" })).toEqual([
    "project tasks tasks: left_out, nothing is open (0 open, 1 done or put off, 1 cannot be understood)",
  ]);
  expect(await at.items({ tool: "cursor" })).toEqual([]);
  write(at.projectDir, { "opencode.json": JSON.stringify({ agent: { build: { model: "x" }, helper: { prompt: "You help." } } }) });
  expect((await at.items({ tool: "opencode" })).map((line) => line.split(",")[0])).toEqual(["project role helper: new"]);
});
