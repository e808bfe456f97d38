/** The first minutes: a goal without a verb, a model nobody named, a key given where it is missing. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { runSylk } from "../support/run-sylk.ts";
import { KEY, place, startedModel } from "./first-use.ts";

test.each([[["fix the bug"]], [["-p", "fix"]], [["--print", "fix it"]], [["exec", "fix"]], [["--detach", "fix the bug"]]])(
  "a goal without a verb starts a task: sylk %j",
  async (words) => {
    const at = place();
    const started = await at.sylk([...words, "--detach"], KEY);
    expect(started).toMatchObject({ code: 0, out: expect.stringMatching(/^task_\w+\n$/) as unknown });
    const { goal } = JSON.parse((await at.sylk(["task", "show", "last", "--json"])).out) as { goal: string };
    expect(words.join(" ")).toContain(goal);
    expect(goal).toMatch(/^fix/);
  },
);

test("D4: with a key and no other word the provider's balanced model is used, and named", async () => {
  const at = place();
  const started = await at.sylk(["make it work", "--detach"], KEY);
  expect(started.err).toContain("using anthropic/claude-sonnet-4-5; -m names another model");
  expect(await startedModel(at)).toBe("anthropic/claude-sonnet-4-5");
  await at.sylk(["make it work", "--detach"], { OPENAI_API_KEY: "k" });
  expect(await startedModel(at)).toBe("openai/gpt-5");
  await at.sylk(["config", "set", "llm.default_model", "google/gemini-2.5-flash"]);
  const chosen = await at.sylk(["make it work", "--detach"], KEY);
  expect(chosen.err).not.toContain("using");
  expect(await startedModel(at)).toBe("google/gemini-2.5-flash");
});

test("a bare name that only one provider has is taken, one near it is suggested, and without any key sylk auth login is", async () => {
  const at = place();
  expect((await at.sylk(["go on then", "-m", "gpt-5", "--detach"], KEY)).code).toBe(0);
  const wrong = await at.sylk(["go on then", "-m", "gpt-6", "--detach"], KEY);
  expect(wrong).toMatchObject({ code: 52, err: expect.stringContaining("did you mean gpt-5?") as unknown });
  const none = await at.sylk(["go on then", "--detach"]);
  expect(none).toMatchObject({ code: 41, err: expect.stringMatching(/no model provider is set up\n.*`sylk auth login`/) as unknown });
  expect((await at.sylk([])).out).toMatch(/sylk auth login\s+keep a provider's key/);
});

test("a request without any key is refused before there is one", async () => {
  const at = place();
  expect(await at.sylk(["run", "make it work"])).toMatchObject({
    code: 41,
    err: expect.stringMatching(/no model provider is set up\n.*`sylk auth login`/) as unknown,
  });
  expect((await at.sylk(["sessions", "--json"])).out.trim()).toBe("[]");
});

test("D18: words of other programs are answered with ours, -v is the version, and --version --json is JSON", async () => {
  const { sylk } = place();
  for (const [word, ours] of [
    ["continue", "sylk resume"],
    ["chat", 'sylk exec "…"'],
  ] as const)
    expect(await sylk([word])).toMatchObject({ code: 2, err: expect.stringContaining(`did you mean \`${ours}\``) as unknown });
  const { out: version } = await sylk(["--version"]);
  expect((await sylk(["-v"])).out).toBe(version);
  expect(JSON.parse((await sylk(["--version", "--json"])).out)).toEqual({ version: version.trim() });
});

test("short words are the same commands, with their flags, and so is their help", async () => {
  const { sylk } = place();
  for (const [short, long] of [
    [
      ["sessions", "--json"],
      ["session", "list", "--json"],
    ],
    [
      ["attach", "abc"],
      ["session", "attach", "abc"],
    ],
    [
      ["logs", "-f", "abc"],
      ["session", "logs", "-f", "abc"],
    ],
    [
      ["stop", "abc"],
      ["session", "stop", "abc"],
    ],
    [
      ["resume", "abc"],
      ["session", "continue", "abc"],
    ],
    [
      ["resume", "--help"],
      ["session", "continue", "--help"],
    ],
    [["login"], ["auth", "login"]],
    [
      ["help", "logs"],
      ["help", "session", "logs"],
    ],
  ] as const)
    expect(await sylk([...short])).toEqual(await sylk([...long]));
  expect((await sylk(["help"])).out).toContain("  logs             session logs");
});

test("D18: a default model nobody has is refused, and what is not there yet is said with what to do", async () => {
  const { sylk } = place();
  expect(await sylk(["config", "set", "llm.default_model", "claude-nope"])).toMatchObject({ code: 52 });
  expect((await sylk(["config", "get", "llm.default_model"])).out).toBe("null\n");
  expect((await sylk(["config", "set", "llm.default_model", "deep"])).code).toBe(0);
  expect((await sylk(["task", "show"])).err).toMatch(/there is no task here yet\n.*starts one/);
  expect((await sylk(["memory", "budget"])).out).toBe("no agent remembers anything here yet\n");
  // What takes long to start is tried by `doctor`, not by the first screen.
  expect((await sylk([])).out).not.toContain("language servers");
  expect((await sylk(["doctor"])).out).toContain("language servers");
  expect((await sylk(["doctor"])).out).toMatch(/! repository\s+this folder is in no git repository/);
});

test("D16: an imported skill is told what its checks say and nothing else; one with holes is told of them", async () => {
  const at = place();
  const folder = path.join(at.dir, "..", "notes-write");
  mkdirSync(folder);
  const text =
    "---\nname: notes-write\ndescription: Write release notes from merged changes. Use when a release is prepared.\n---\n\n# Write notes\n\n1. List what was merged.\n";
  writeFileSync(path.join(folder, "SKILL.md"), text);
  const imported = await at.sylk(["skill", "import", folder, "--target", "claude", "--yes"]);
  expect(imported.out).toMatch(/^✓ notes-write installed; checks: PARTIAL\n {2}! task-oriented sections/);
  expect(imported.out).not.toMatch(/template|marked/);
  const made = await at.sylk([
    "skill",
    "create",
    "review SQL migrations",
    "--target",
    "claude",
    "--no-model",
    "--name",
    "sql-review",
    "--yes",
  ]);
  expect(made.out).toContain("2 places are marked “To complete”");
});

test.each(["", "relative/home", "/proc/nope", "/dev/null"])(
  "a home of %j that cannot be used is told of, and nothing is written anywhere else",
  async (home) => {
    const { dir, env } = place();
    const before = readdirSync(dir);
    const told = await runSylk(dir, { ...env, HOME: home, SYLK_HOME: undefined }, ["task", "list"], 20_000);
    expect(told).toMatchObject({ code: 52, out: "", err: expect.stringMatching(/no place for Sylk's own files\n.*SYLK_HOME/) as unknown });
    expect(readdirSync(dir)).toEqual(before);
    expect(await runSylk(dir, { ...env, HOME: home }, ["task", "list"])).toMatchObject({ code: 0 });
    expect(readdirSync(dir)).toEqual(before);
  },
);

test.each(["openai/gpt-5", "gpt-5"])(
  "without its key -m %s says what to set and leaves no task behind, unless it is for later",
  async (model) => {
    const at = place();
    expect(await at.sylk(["exec", "fix it", "-m", model])).toMatchObject({
      code: 41,
      out: "",
      err: expect.stringMatching(
        /there is no key for openai; no task was started\n.*set OPENAI_API_KEY, or `sylk auth login openai`/,
      ) as unknown,
    });
    expect((await at.sylk(["task", "list", "--json"])).out).toBe("[]\n");
    expect((await at.sylk(["exec", "fix it", "-m", model, "--detach"])).code).toBe(0);
  },
);

test("at an address of one's own a model costs nothing on this machine, and what its maker asks only by assumption elsewhere", async () => {
  const at = place();
  const priced = async (url: string) => {
    const { out } = await at.sylk(["models", "list", "--json"], { OPENAI_API_KEY: "k", OPENAI_BASE_URL: url });
    const { models } = JSON.parse(out) as { models: { id: string; output_price: number; assumed: boolean }[] };
    const { output_price, assumed } = models.find(({ id }) => id === "openai/gpt-5") ?? {};
    return { free: output_price === 0, assumed };
  };
  expect(await priced("http://127.0.0.1:9/v1")).toEqual({ free: true, assumed: false });
  expect(await priced("https://gate.example/v1")).toEqual({ free: false, assumed: true });
  expect(await priced("https://api.openai.com/v1")).toEqual({ free: false, assumed: false });
});

test.each([[["sum", "-m", "openai/gpt-5"]], [["--", "sum"]], [["-m", "gpt-5", "sum"]], [["-m", "gpt-5", "--", "sum"]]])(
  "one word is a goal where it cannot be anything else: sylk %j",
  async (words) => {
    const at = place();
    const given = words.includes("--") ? ["--detach", ...words] : [...words, "--detach"];
    expect(await at.sylk(given, { ...KEY, OPENAI_API_KEY: "k" })).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^task_/) as unknown,
    });
    expect(JSON.parse((await at.sylk(["task", "show", "last", "--json"])).out)).toMatchObject({ goal: "sum" });
  },
);

test("what is near a command stays a mistake", async () => {
  const { sylk } = place();
  expect(await sylk(["taks", "-m", "gpt-5"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("did you mean `sylk task`") as unknown,
  });
  expect(await sylk(["continue", "-m", "gpt-5"])).toMatchObject({ code: 2, err: expect.stringContaining("sylk resume") as unknown });
});
