/** `sylk import`: what other tools were told, brought along through the real command. */
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { runSylk } from "../support/run-sylk.ts";
import { tempDir } from "../support/temp.ts";

/** Looks like one and opens nothing. */
const SECRET = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;

type Tree = Readonly<Record<string, string>>;

interface Item {
  kind: string;
  name: string;
  scope: string;
  state: string;
  to: string | null;
  why?: string;
  set: string[];
}

function place(home: Tree, project: Tree) {
  const base = realpathSync(tempDir("sylk-import"));
  const dirs = { base, home: path.join(base, "home"), dir: path.join(base, "project"), config: path.join(base, "sylk") };
  for (const dir of [dirs.home, dirs.dir]) mkdirSync(dir);
  const write = (root: string, tree: Tree): void => {
    for (const [name, text] of Object.entries(tree)) {
      mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
      writeFileSync(path.join(root, name), text);
    }
  };
  write(dirs.home, home);
  write(dirs.dir, project);
  const env = { PATH: process.env["PATH"], HOME: dirs.home, SYLK_HOME: dirs.config, NO_COLOR: "1" };
  const sylk = (...args: string[]) => runSylk(dirs.dir, env, args);
  const plan = async (...args: string[]): Promise<Item[]> =>
    (JSON.parse((await sylk("import", ...args, "--json")).out) as { items: Item[] }).items;
  const states = async (...args: string[]): Promise<string[]> =>
    (await plan(...args)).map(({ scope, kind, name, state }) => `${scope} ${kind} ${name}: ${state}`);
  const text = (file: string): string => readFileSync(path.resolve(dirs.dir, file), "utf8");
  return { ...dirs, sylk, plan, states, text, write };
}

/** Every file below a folder with its text, to see that nothing changed. */
const all = (root: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => [path.join(entry.parentPath, entry.name), readFileSync(path.join(entry.parentPath, entry.name), "utf8")]),
  );

const ROLE =
  "---\nname: Release Notes\ndescription: Writes: release notes\ntools: Read, Grep, Bash(git log:*)\nmodel: haiku\n---\nYou write notes.\n";

test(
  "claude: a dry run writes nothing, --yes writes exactly it, and a second time there is nothing left",
  { timeout: 120_000 },
  async () => {
    const at = place(
      {
        ".claude/CLAUDE.md": "Answer in French.\n",
        ".claude/skills/mine/SKILL.md": "---\nname: mine\ndescription: Mine.\n---\nDo.\n",
        ".claude/commands/git/Fix Up.md": "---\ndescription: fix up\nargument-hint: what\n---\nFix $ARGUMENTS\n",
        ".claude/agents/release-notes.md": ROLE,
        ".claude/agents/engineer.md": "---\nname: engineer\n---\nAnother engineer.\n",
        ".claude/settings.json": JSON.stringify({
          model: "x",
          permissions: { allow: ["Bash(npm test)"], deny: ["Read(./.env)"] },
          hooks: { Stop: [{ hooks: [{ type: "command", command: "true" }] }] },
        }),
        ".claude.json": JSON.stringify({
          mcpServers: {
            Tracker: { type: "http", url: "https://tracker.example/mcp", headers: { Authorization: `Bearer ${SECRET}` } },
            old: { type: "sse", url: "https://old.example/sse" },
          },
        }),
      },
      {
        "CLAUDE.md": "Tabs.\n",
        ".mcp.json": JSON.stringify({ mcpServers: { theirs: { command: "true" } } }),
        ".claude/commands/go.md": "go",
        ".claude/agents/helper.md": "---\nname: helper\ndescription: helps\n---\nYou help.\n",
      },
    );
    const before = { ...all(at.home), ...all(at.dir) };
    const shown = await at.sylk("import", "claude");
    expect(shown).toMatchObject({
      code: 0,
      out: expect.stringContaining("nothing was written; --yes writes what is marked with +") as string,
    });
    expect(shown.out).toContain("+ command     git:fix-up  ~/.claude/commands/git/Fix Up.md → ");
    expect(shown.out).toContain("– role        engineer  ~/.claude/agents/engineer.md: Sylk has a role of this name");
    expect(shown.out).toMatch(/– permissions\s+allow: Bash\(npm test\) .*not taken over; `sylk permissions allow 'npm test'`/u);
    expect(shown.out + shown.err).not.toContain(SECRET);
    expect(await at.sylk("import", "claude", "--dry-run")).toEqual(shown);
    expect(await at.sylk("import", "claude", "--dry-run", "--yes")).toMatchObject({ code: 2, out: "" });
    expect({ ...all(at.home), ...all(at.dir) }).toEqual(before);
    expect(existsSync(path.join(at.config, "mcp.json"))).toBe(false);
    expect(await at.states("claude")).toEqual([
      "user rules CLAUDE.md: new",
      "user skill mine: used",
      "user command git:fix-up: new",
      "user role engineer: left_out",
      "user role release-notes: new",
      "user mcp_server tracker: new",
      "user mcp_server old: left_out",
      "user permissions allow: Bash(npm test): left_out",
      "user permissions deny: Read(./.env): left_out",
      "user hooks Stop: new",
      "project rules CLAUDE.md: used",
      "project command go: used",
      "project role helper: new",
      "project mcp_server theirs: used",
    ]);

    const done = await at.sylk("import", "claude", "--yes");
    expect(done).toMatchObject({ code: 0, out: expect.stringContaining("what is in the project counts after `sylk trust`") as string });
    expect(done.out).toContain(`written  ${path.join(at.config, "mcp.json")}`);
    expect(done.out + done.err).not.toContain(SECRET);
    for (const [file, text] of Object.entries(before)) expect(readFileSync(file, "utf8")).toBe(text);
    // The user's own secret stays in a file of the user's alone.
    expect(at.text(path.join(at.config, "mcp.json"))).toContain(SECRET);
    expect(statSync(path.join(at.config, "mcp.json")).mode & 0o777).toBe(0o600);
    expect(at.text(path.join(at.config, "agents/release-notes.md"))).toBe(
      '---\nsummary: "Writes: release notes"\ncapabilities:\n  - file_read\n  - execute\n  - execute_inspection\nmodel: fast\n---\n\nYou write notes.\n',
    );
    expect(at.text(path.join(at.config, "AGENTS.md"))).toBe("Answer in French.\n");
    expect(parse(at.text(path.join(at.config, "config.yaml")))).toMatchObject({ hooks: { Stop: [{ hooks: [{ command: "true" }] }] } });
    expect((await at.sylk("agents", "show", "release-notes")).out).toContain("Writes: release notes");
    expect((await at.sylk("hooks", "list")).out).toContain("✓ Stop");
    expect((await at.sylk("mcp", "list")).out).toMatch(/✓ tracker/u);
    // What is the project's waits for trust, as everything it brings.
    expect((await at.sylk("agents", "list")).out).not.toMatch(/^helper/mu);

    const after = { ...all(at.home), ...all(at.dir), ...all(path.join(at.config, "agents")) };
    expect((await at.sylk("import", "claude", "--yes")).out).toContain("nothing is left to write");
    expect({ ...all(at.home), ...all(at.dir), ...all(path.join(at.config, "agents")) }).toEqual(after);
    expect((await at.states("claude")).filter((line) => /new|clash/u.test(line))).toEqual([]);
  },
);

test(
  "codex: its lists are TOML, its prompts are commands, its skills move to where everybody reads them",
  { timeout: 60_000 },
  async () => {
    const at = place(
      {
        ".codex/AGENTS.md": "Be brief.",
        ".codex/prompts/draft.md": "Draft $1",
        ".codex/skills/pdf/SKILL.md": "---\nname: pdf\ndescription: PDFs.\n---\nRead.\n",
        ".codex/skills/pdf/scripts/run.sh": "echo hi\n",
        ".codex/agents/mapper.toml":
          'name = "mapper"\ndescription = "maps"\ndeveloper_instructions = "You map."\nsandbox_mode = "read-only"\n',
        ".codex/config.toml": [
          'model = "gpt-5"',
          "[mcp_servers.docs]",
          'command = "npx"',
          'args = ["-y", "docs"]',
          'env_vars = ["LANG"]',
          "[mcp_servers.docs.env]",
          'MODE = "fast"',
          "[mcp_servers.far]",
          'url = "https://far.example/mcp"',
          'bearer_token_env_var = "FAR_TOKEN"',
          "[mcp_servers.off]",
          'command = "true"',
          "enabled = false",
        ].join("\n"),
      },
      { "AGENTS.md": "Tabs." },
    );
    chmodSync(path.join(at.home, ".codex/skills/pdf/scripts/run.sh"), 0o755);
    expect((await at.sylk("import", "codex", "--yes")).code).toBe(0);
    expect(JSON.parse(at.text(path.join(at.config, "mcp.json")))).toEqual({
      mcpServers: {
        docs: { command: "npx", args: ["-y", "docs"], env: { MODE: "fast", LANG: "${LANG}" } },
        far: { type: "http", url: "https://far.example/mcp", headers: { Authorization: "Bearer ${FAR_TOKEN}" } },
      },
    });
    expect(at.text(path.join(at.home, ".agents/skills/pdf/scripts/run.sh"))).toBe("echo hi\n");
    // A script can be started where it came to; what could not be still cannot.
    const mayRun = (file: string): boolean => (statSync(path.join(at.home, ".agents/skills/pdf", file)).mode & 0o100) !== 0;
    expect([mayRun("scripts/run.sh"), mayRun("SKILL.md")]).toEqual([true, false]);
    expect(at.text(path.join(at.config, "commands/draft.md"))).toBe("Draft $1");
    expect(parse(at.text(path.join(at.config, "agents/mapper.md")).split("---")[1] ?? "")).toEqual({
      summary: "maps",
      capabilities: ["file_read", "execute_inspection", "network_read"],
    });
    expect(await at.plan("codex")).toContainEqual(
      expect.objectContaining({ name: "off", state: "left_out", why: "is switched off there" }) as Item,
    );
  },
);

test("gemini and opencode: commands in TOML, lists with comments, variables in their own form", { timeout: 60_000 }, async () => {
  const at = place(
    {
      ".config/opencode/opencode.jsonc":
        '{\n  // mine\n  "mcp": { "a": { "type": "local", "command": ["npx", "-y", "a"], "environment": { "K": "{env:A_KEY}" }, }, },\n}',
    },
    {
      "GEMINI.md": "Be kind.",
      ".gemini/commands/git/commit.toml": 'description = "commit"\nprompt = "Commit {{args}} with !{git diff}"\n',
      ".gemini/settings.json": JSON.stringify({
        hooks: { BeforeTool: [] },
        mcpServers: { g: { httpUrl: "https://g.example/mcp", headers: { "X-Api-Key": "$G_KEY" } } },
      }),
      "opencode.json": JSON.stringify({
        mcp: {
          far: { type: "remote", url: "https://far.example/mcp", headers: { Authorization: "Bearer {env:FAR}" } },
          f: { type: "local", command: ["x", "{file:./secret}"] },
        },
        command: { test: { template: "Run $ARGUMENTS", description: "tests" } },
        agent: { review: { description: "reviews", prompt: "You review.", tools: { write: false, bash: false } }, build: { model: "x/y" } },
      }),
      ".opencode/agent/docs.md": "---\ndescription: docs\nmode: subagent\npermission:\n  edit: deny\n---\nYou write docs.\n",
    },
  );
  expect(await at.states("gemini")).toEqual([
    "project rules GEMINI.md: used",
    "project command git:commit: new",
    "project mcp_server g: new",
    "project hooks hooks: left_out",
  ]);
  await at.sylk("import", "gemini", "--yes");
  await at.sylk("import", "opencode", "--yes");
  expect(at.text(".sylk/commands/git/commit.md")).toBe('---\ndescription: "commit"\n---\n\nCommit $ARGUMENTS with !{git diff}\n');
  expect(JSON.parse(at.text(".mcp.json"))).toEqual({
    mcpServers: {
      g: { type: "http", url: "https://g.example/mcp", headers: { "X-Api-Key": "${G_KEY}" } },
      far: { type: "http", url: "https://far.example/mcp", headers: { Authorization: "Bearer ${FAR}" } },
    },
  });
  expect(JSON.parse(at.text(path.join(at.config, "mcp.json")))).toEqual({
    mcpServers: { a: { command: "npx", args: ["-y", "a"], env: { K: "${A_KEY}" } } },
  });
  expect(at.text(".sylk/agents/review.md")).toContain("capabilities:\n  - file_read\n  - network_read\n---");
  expect(at.text(".sylk/agents/docs.md")).toContain("capabilities:\n  - file_read\n  - execute\n");
  expect(existsSync(path.join(at.dir, ".sylk/agents/build.md"))).toBe(false);
});

test(
  "cursor: rules go where they hold, and no secret of its list gets into the project or onto the screen",
  { timeout: 60_000 },
  async () => {
    const rule = (front: string, body: string): string => `---\n${front}\n---\n${body}\n`;
    const at = place(
      {},
      {
        "src/api/x.ts": "",
        ".cursor/rules/always.mdc": rule("description:\nglobs:\nalwaysApply: true", "# Always\n\nTabs."),
        ".cursor/rules/ts.mdc": rule('globs: "**/*.ts,**/*.tsx"\nalwaysApply: false', "No any."),
        ".cursor/rules/api.mdc": rule("globs: src/api/**/*.ts\nalwaysApply: false", "Validate input."),
        ".cursor/rules/release.mdc": rule("description: How a release is made\nalwaysApply: false", "Tag it."),
        ".cursor/rules/manual.mdc": rule("description:\nalwaysApply: false", "Say it."),
        ".cursor/mcp.json": JSON.stringify({
          mcpServers: {
            tracker: {
              command: "npx",
              args: ["tracker", "${workspaceFolder}"],
              env: { TRACKER_TOKEN: SECRET, MODE: "x", OTHER: "${env:OTHER}" },
            },
            far: { url: "https://far.example/mcp", headers: { Authorization: `Bearer ${SECRET}` } },
            told: { command: "npx", args: ["--api-key", "short"] },
            asked: { url: "https://a.example/mcp?api_key=abc" },
          },
        }),
        ".cursor/hooks.json": '{"version":1,"hooks":{"beforeShellExecution":[]}}',
      },
    );
    const { out, err } = await at.sylk("import", "cursor", "--yes");
    expect(out + err).not.toContain(SECRET);
    expect(out).toContain("a secret is not copied: set TRACKER_TOKEN in your environment");
    expect(at.text("AGENTS.md")).toBe("# Always\n\nTabs.\n\n## ts\n\nThese hold for files that match `**/*.ts`, `**/*.tsx`.\n\nNo any.\n");
    expect(at.text("src/api/AGENTS.md")).toBe("## api\n\nValidate input.\n");
    expect(at.text(".agents/skills/release/SKILL.md")).toContain("description: How a release is made");
    expect(at.text(".sylk/commands/manual.md")).toBe("Say it.\n");
    expect(JSON.parse(at.text(".mcp.json"))).toEqual({
      mcpServers: {
        tracker: {
          command: "npx",
          args: ["tracker", "${SYLK_PROJECT_DIR}"],
          env: { TRACKER_TOKEN: "${TRACKER_TOKEN}", MODE: "x", OTHER: "${OTHER}" },
        },
        far: { type: "http", url: "https://far.example/mcp", headers: { Authorization: "Bearer ${FAR_AUTHORIZATION}" } },
      },
    });
    const items = await at.plan("cursor");
    expect(items.filter(({ state }) => state === "left_out").map(({ name }) => name)).toEqual(["told", "asked", "hooks"]);
    expect(items.filter(({ state }) => state === "new" || state === "clash")).toEqual([]);
  },
);

test("what is there already is never changed: a clash is listed, with what to do", { timeout: 60_000 }, async () => {
  const at = place(
    { ".cursor/mcp.json": "{ not json", ".cursor/commands/go.md": `Use ${SECRET}\n` },
    {
      "AGENTS.md": "Mine.",
      ".cursorrules": "Theirs.",
      ".cursor/commands/go.md": "Go there.",
      ".sylk/commands/go.md": "Go here.",
      ".cursor/mcp.json": JSON.stringify({ mcpServers: { one: { command: "theirs" } } }),
      ".mcp.json": JSON.stringify({ mcpServers: { one: { command: "mine" } } }),
    },
  );
  symlinkSync("/etc/hostname", path.join(at.dir, ".cursor/commands/out.md"));
  const before = all(at.dir);
  const { out } = await at.sylk("import", "cursor", "--yes");
  expect(out).toContain("AGENTS.md is there already; a line @.cursorrules in it takes this in");
  expect(out).toContain(".sylk/commands/go.md is there already, and says something else");
  expect(out).toContain(".mcp.json has another server of this name");
  expect(out).toContain("out.md: leads out of the project");
  expect(out).toContain("mcp.json: is not JSON");
  expect(out).toContain("it holds something that looks like a secret");
  expect(out).not.toContain(SECRET);
  expect(all(at.dir)).toEqual(before);
});

test("taskmaster: what is open becomes a page with lines that start it; --from takes another folder", { timeout: 60_000 }, async () => {
  const tasks = [
    { id: 1, title: "Set up", description: "done", status: "done", dependencies: [] },
    { id: 3, title: "Draw it", description: "It's drawn", status: "pending", priority: "high", dependencies: [1, 2], testStrategy: "look" },
    {
      id: 2,
      title: "Core",
      description: "the core",
      status: "in-progress",
      dependencies: [1],
      subtasks: [
        { id: 1, title: "a", status: "done" },
        { id: 2, title: "b" },
      ],
    },
    { title: "no id" },
  ];
  const at = place({}, {});
  at.write(path.join(at.base, "old"), { ".taskmaster/tasks/tasks.json": JSON.stringify({ master: { tasks }, spike: { tasks: [] } }) });
  expect(await at.states("taskmaster")).toEqual([]);
  expect((await at.sylk("import", "taskmaster")).out).toBe("nothing of taskmaster was found\n");
  const { out } = await at.sylk("import", "taskmaster", "--from", "../old", "--yes");
  expect(out).toContain("2 open, 1 done or put off, 1 cannot be understood");
  const page = at.text(".sylk/tasks.md");
  expect(page.indexOf("## 2 Core")).toBeLessThan(page.indexOf("## 3 Draw it"));
  expect(page).toContain("pending, priority high, after 1, 2");
  expect(page).toContain("- [x] 1 a\n- [ ] 2 b");
  expect(page).toContain("sylk run -- 'Draw it: It'\\''s drawn (task 3 of .sylk/tasks.md)'");
});

test("a wrong tool and two scopes at once are told; --user and --project take their part", { timeout: 60_000 }, async () => {
  const at = place({ ".codex/prompts/a.md": "a" }, { ".codex/skills/s/SKILL.md": "---\nname: s\ndescription: S.\n---\nS\n" });
  expect(await at.sylk("import", "emacs")).toMatchObject({
    code: 2,
    err: expect.stringContaining("choose one of claude, codex") as string,
  });
  expect((await at.sylk("import", "codex", "--user", "--project")).code).toBe(2);
  expect(await at.states("codex", "--user")).toEqual(["user command a: new"]);
  expect(await at.states("codex", "--project")).toEqual(["project skill s: new"]);
});
