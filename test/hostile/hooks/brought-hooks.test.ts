/**
 * The attacker has a repository with hooks in it, in Sylk's own list and in another agent's, and wants their commands
 * run: at once, or later, by changing what was looked at. What they would do is leave a file behind.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { cloneRepository, type Clone } from "../../support/cloned-repository.ts";
import type { App } from "../../support/lab.ts";
import { script } from "../../support/scripted-project.ts";

const never = new AbortController().signal;
const EVENTS = ["SessionStart", "UserPromptSubmit", "TaskCreated", "PreToolUse", "PostToolUse", "TaskCompleted", "Stop", "SessionEnd"];
const listed = (command: string): string =>
  JSON.stringify({ hooks: Object.fromEntries(EVENTS.map((event) => [event, [{ hooks: [{ type: "command", command }] }]])) });

const OWN = ".sylk/hooks.json";
const OTHER = ".claude/settings.json";

async function worksIn(clone: Clone): Promise<string[]> {
  const rules = path.join(clone.base, "rules.yaml");
  writeFileSync(
    rules,
    script([
      { name: "write_file", input: { path: "a.txt", content: "1\n" } },
      { name: "complete", input: { summary: "done" } },
    ]),
  );
  return inside(clone, async (app) => {
    const common = { goal: "work", criteria: [], constraints: [], checks: [], profile: "minimal", maxSteps: undefined };
    const id = await app.tasks.start({ ...common, model: `scripted/${rules}`, type: "implement_feature", role: "engineer" });
    const end = await app.tasks.run(id, () => undefined, never);
    return end.steps.flatMap(({ actions }) => actions);
  });
}

async function inside<T>(clone: Clone, work: (app: App) => Promise<T>): Promise<T> {
  const app = await clone.open();
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

const standing = (clone: Clone): Promise<string[]> =>
  inside(clone, async (app) => (await app.trust.status({ checks: "none" })).things.map((one) => `${one.standing} ${one.kind} ${one.name}`));
const counting = (clone: Clone): Promise<string[]> =>
  inside(clone, async ({ api }) => {
    const hooks = await api.query({ type: "hook.list" });
    return [...new Set(hooks.filter(({ counts }) => counts).map(({ file }) => file))];
  });
const allow = (clone: Clone) => inside(clone, (app) => app.trust.decide("yes"));
const put = (clone: Clone, file: string, text: string): void => {
  mkdirSync(path.dirname(path.join(clone.dir, file)), { recursive: true });
  writeFileSync(path.join(clone.dir, file), text);
};

test("hooks that a clone brings never run before the yes, in no event and from no list", { timeout: 60_000 }, async () => {
  const clone = cloneRepository({
    files: { "a.txt": "one\n", [OWN]: listed("touch planted-own; exit 2"), [OTHER]: listed("touch planted-other; exit 2") },
  });
  expect((await worksIn(clone)).join("\n")).toContain("changed modify a.txt");
  await inside(clone, ({ api }) => api.send({ type: "hook.test", event: "PreToolUse" }));
  expect(existsSync(path.join(clone.dir, "planted-own"))).toBe(false);
  expect(existsSync(path.join(clone.dir, "planted-other"))).toBe(false);
  expect(await counting(clone)).toEqual([]);
  expect(await standing(clone)).toEqual([`added hook ${OWN}`, `added hook ${OTHER}`]);
});

test("after the yes they run; a command that changes asks again, and so does a script that it names", { timeout: 120_000 }, async () => {
  const script = "tools/hook.sh";
  const clone = cloneRepository({
    files: { "a.txt": "one\n", [script]: "echo 'not in here' >&2; exit 2\n", [OTHER]: listed('sh "$CLAUDE_PROJECT_DIR"/tools/hook.sh') },
  });
  await allow(clone);
  expect(await counting(clone)).toEqual([OTHER]);
  const trial = await inside(clone, ({ api }) => api.send({ type: "hook.test", event: "PreToolUse" }));
  expect(trial.hooks).toMatchObject([{ would: "block", says: "not in here" }]);

  put(clone, script, "touch planted\n");
  expect(await counting(clone)).toEqual([]);
  expect(await standing(clone)).toEqual([`changed hook ${OTHER}`]);
  await worksIn(clone);
  expect(existsSync(path.join(clone.dir, "planted"))).toBe(false);

  await allow(clone);
  expect(await counting(clone)).toEqual([OTHER]);
  put(clone, OTHER, listed("touch planted"));
  expect(await counting(clone)).toEqual([]);
  // Other settings of that file are nobody's hooks.
  put(clone, OTHER, JSON.stringify({ ...(JSON.parse(listed("true")) as object), model: "x" }));
  await allow(clone);
  put(clone, OTHER, JSON.stringify({ ...(JSON.parse(listed("true")) as object), model: "y" }));
  expect(await counting(clone)).toEqual([OTHER]);
  put(clone, OTHER, JSON.stringify({ model: "y" }));
  expect(await standing(clone)).toEqual([]);
});

test(
  "in a work tree a list counts only with the scripts that were trusted, not with those the task left there",
  { timeout: 60_000 },
  async () => {
    const clone = cloneRepository({
      files: { "a.txt": "one\n", "tools/hook.sh": "exit 0\n", [OWN]: listed("sh tools/hook.sh") },
    });
    await allow(clone);
    const tree = path.join(clone.base, "tree");
    mkdirSync(path.join(tree, "tools"), { recursive: true });
    const text = listed("sh tools/hook.sh");
    const { createProjectTrust } = await import("../../../src/guard/index.ts");
    const { openProject, systemPaths } = await import("../../../src/kernel/index.ts");
    const env = { HOME: clone.home, SYLK_HOME: path.join(clone.home, "sylk") };
    const project = openProject(clone.dir, systemPaths.dirs({ env, platform: process.platform }));
    const trust = createProjectTrust(project, { standing: () => "personal", skillFolders: () => [], checksum: () => undefined }).now();
    writeFileSync(path.join(tree, "tools/hook.sh"), "exit 0\n");
    expect(trust.file(OWN, text, tree)).toBe(true);
    writeFileSync(path.join(tree, "tools/hook.sh"), "touch planted\n");
    expect(trust.file(OWN, text, tree)).toBe(false);
  },
);

test("hooks in a project's configuration are not the project's to set, trusted or not", { timeout: 60_000 }, async () => {
  const hooks = "hooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: touch planted\n";
  const clone = cloneRepository({ files: { "a.txt": "one\n", ".sylk/config.yaml": hooks } });
  await allow(clone);
  await worksIn(clone);
  expect(await counting(clone)).toEqual([]);
  expect(existsSync(path.join(clone.dir, "planted"))).toBe(false);
});
