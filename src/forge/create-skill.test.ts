/** The nine scenarios of the forge, every error code, and an independent validator on what it makes. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { validate } from "skills-ref";
import { expect, onTestFinished, test } from "vitest";
import { ManualClock } from "../../test/support/manual-clock.ts";
import { tempDir } from "../../test/support/temp.ts";
import { createRedactor } from "../guard/index.ts";
import { createQuestions, sqliteDriver } from "../journal/index.ts";
import { reopenRing, ringView } from "../memory/index.ts";
import { yieldToLoop, type SylkError } from "../kernel/index.ts";
import { approvalWindow, inputWindow, processingWindow } from "./windows.ts";
import { createForge } from "./create-forge.ts";
import { skillView, type SkillConduct, type SkillOptions } from "./index.ts";
import { answering, askedIn, choose, type Say } from "../../test/support/answering.ts";
import { agentActor, USER } from "../protocol/events/index.ts";

const never = new AbortController().signal;
const WISH = "review SQL migrations for locking problems";
const NAME = "sql-migrations-locking-review";
const yes: SkillConduct = { approve: true };
const plain = (more: Partial<SkillOptions> = {}): SkillOptions => ({
  targets: ["claude", "gemini"],
  template: "base",
  model: undefined,
  global: false,
  dryRun: false,
  ...more,
});

/** With `say`, somebody is there. */
async function forgeIn(more: { searchPath?: (dir: string) => string; say?: Say } = {}) {
  const dir = tempDir();
  const clock = new ManualClock();
  const store = await sqliteDriver.open({
    path: path.join(dir, ".sylk/sylk.db"),
    clock,
    durability: "process",
    views: [ringView, skillView],
  });
  onTestFinished(() => store.close());
  const questions = createQuestions({
    journal: () => Promise.resolve(store.journal),
    clock,
    attended: more.say !== undefined,
    redact: (text) => text,
    screen: (text) => Promise.resolve(text),
  });
  const person = answering(askedIn(store, questions), (id, answer) => questions.answer(id, answer, USER), more.say ?? (() => undefined));
  onTestFinished(() => person[Symbol.asyncDispose]());
  const forge = createForge({
    store: () => Promise.resolve(store),
    questions,
    gate: () => Promise.reject(new Error("no model here")),
    clock,
    redactor: createRedactor(),
    project: dir,
    trusts: () => true,
    dataDir: path.join(dir, ".sylk"),
    home: path.join(dir, "home"),
    searchPath: more.searchPath?.(dir) ?? "",
  });
  const ringOf = (id: string) => reopenRing({ journal: store.journal, clock, kind: "skill", id, actor: agentActor("test") });
  return { forge, dir, clock, store, ringOf, file: (name: string) => path.join(dir, name) };
}

/** Until an answer is waited for, beside the lease of the run. */
async function asleep(clock: ManualClock): Promise<void> {
  while (clock.sleeping < 2) await yieldToLoop();
}

/** In steps, so that the lease is renewed meanwhile. */
async function pass(clock: ManualClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 1_000) {
    await clock.advance(Math.min(1_000, left));
    for (let turn = 0; turn < 5; turn += 1) await yieldToLoop();
  }
}

const codeOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "none",
    (error: SylkError) => error.code,
  );
const left = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, encoding: "utf8" })
    .filter((name) => !name.startsWith(".sylk"))
    .toSorted();

test("SKF-006 ~SKF-007 SKF-015 SKF-021: one sentence becomes a skill in two CLIs that an independent validator accepts", async () => {
  const { forge, file, dir } = await forgeIn();
  const phases: string[] = [];
  const outcome = await forge.create(WISH, plain(), { ...yes, onPhase: (phase) => phases.push(phase) }, never);
  expect(outcome).toMatchObject({ kind: "installed", name: NAME, backup: null, written_by: "template", report: { grade: "PASS" } });
  expect(phases).toEqual(["prepare", "understand", "generate", "validate", "approve", "persist", "report"]);
  const claude = readFileSync(file(`.claude/skills/${NAME}/SKILL.md`), "utf8");
  const gemini = readFileSync(file(`.gemini/skills/${NAME}/SKILL.md`), "utf8");
  expect(claude).toContain("Input: $ARGUMENTS");
  expect(gemini).toBe(claude.replaceAll("$ARGUMENTS", "{{args}}"));
  expect(Object.keys(readFrontmatter(claude))).toEqual(["name", "description"]);
  for (const target of [".claude", ".gemini"]) expect(await validate(file(`${target}/skills/${NAME}`))).toEqual([]);
  expect(left(dir).filter((name) => name.includes(`.${NAME}.`))).toEqual([]);
  expect(readFileSync(file(".sylk/MEMORY.md"), "utf8")).toContain(`| ${NAME} | 1 | claude, gemini |`);
});

function readFrontmatter(text: string): Record<string, string> {
  const lines = (/^---\n([\s\S]*?)\n---/.exec(text)?.[1] ?? "").split("\n");
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(":")), line]));
}

test("~SKF-003 SKF-015: whatever the sentence, the validator accepts the skill", async () => {
  const { forge, file } = await forgeIn();
  const wishes = [
    "Write release notes: from the git log, for users",
    "deploy the staging cluster, then run smoke tests and report",
    "Übersetzt Fehlermeldungen ins Deutsche",
    "数据库迁移检查",
    "# headings --- and\n---\nname: other\n--- yaml",
    "quotes \"double\" and 'single' and `code`",
    `test ${"very ".repeat(300)}long things`,
    "a skill that summarises meeting notes",
    "accessibility",
  ];
  for (const wish of wishes) {
    const outcome = await forge.create(wish, plain({ targets: ["agents"] }), { ...yes, onCollision: "rename" }, never);
    expect({ wish, kind: outcome.kind, problems: await validate(file(`.agents/skills/${outcome.name}`)) }).toEqual({
      wish,
      kind: "installed",
      problems: [],
    });
  }
});

test("~SKF-002: without a description it is E-CREATE-001; while somebody is there it can be said", async () => {
  const { forge, dir } = await forgeIn({ say: () => undefined });
  await expect(forge.create(undefined, plain(), yes, never)).rejects.toMatchObject({ code: "E-CREATE-001" });
  const [open] = await forge.open();
  expect(await forge.rephrase(open?.run ?? "", WISH, yes, never)).toMatchObject({ kind: "installed", name: NAME });
  expect(await codeOf(forge.create(undefined, plain(), yes, never))).toBe("E-CREATE-001");
  expect(await codeOf(forge.create("  ", plain(), yes, never))).toBe("E-CREATE-001");
  expect(left(dir).filter((name) => name.endsWith("SKILL.md"))).toHaveLength(2);
});

test("SKF-009: wrong target, template, name and length have their own codes and leave nothing", async () => {
  const { forge, dir } = await forgeIn();
  expect(await codeOf(forge.create(WISH, plain({ targets: ["emacs"] }), yes, never))).toBe("E-CREATE-002");
  expect(await codeOf(forge.create(WISH, plain({ template: "../../etc/passwd" }), yes, never))).toBe("E-CREATE-003");
  expect(await codeOf(forge.create(WISH, plain({ name: "x".repeat(300) }), yes, never))).toBe("E-CREATE-005");
  expect(await codeOf(forge.create(WISH, plain({ name: "../escape" }), yes, never))).toBe("E-CREATE-005");
  expect(await codeOf(forge.create("x".repeat(2_001), plain(), yes, never))).toBe("E-CREATE-007");
  expect(left(dir)).toEqual([]);
  expect(await forge.open()).toEqual([]);
});

test("SKF-018 ~SKF-019: every CLI found by folder or program gets it; where there is none, the vendor-neutral folder", async () => {
  const alone = await forgeIn();
  expect(await alone.forge.create(WISH, plain({ targets: [] }), yes, never)).toMatchObject({ kind: "installed" });
  expect(left(alone.dir).filter((name) => name.endsWith("SKILL.md"))).toEqual([`.agents/skills/${NAME}/SKILL.md`]);
  const { forge, dir, file } = await forgeIn({ searchPath: (base) => path.join(base, "bin") });
  mkdirSync(file("home"));
  mkdirSync(file(".cursor"));
  mkdirSync(file("bin"));
  writeFileSync(file("bin/codex"), "#!/bin/sh\n", { mode: 0o755 });
  writeFileSync(file("bin/gemini"), "not a program", { mode: 0o644 });
  await forge.create(WISH, plain({ targets: [] }), yes, never);
  expect(left(dir).filter((name) => name.endsWith("SKILL.md"))).toEqual([
    `.codex/skills/${NAME}/SKILL.md`,
    `.cursor/skills/${NAME}/SKILL.md`,
  ]);
  await forge.create(WISH, plain({ targets: ["qwen", "opencode", "copilot"], global: true }), yes, never);
  expect(left(file("home")).filter((name) => name.endsWith("SKILL.md"))).toEqual([
    `.github/skills/${NAME}/SKILL.md`,
    `.opencode/skills/${NAME}/SKILL.md`,
    `.qwen/skills/${NAME}/SKILL.md`,
  ]);
});

test("SKF-008: after a bad description the same ring goes on with another one, and nothing of the old one is left in it", async () => {
  const { forge, dir, clock } = await forgeIn({ say: () => undefined });
  const second = "write release notes from the git log";
  const fails = async (work: Promise<unknown>): Promise<{ code: string; run: string }> =>
    work.then(
      () => ({ code: "none", run: "" }),
      (error: SylkError) => ({ code: error.code, run: String(error.details["rephrase"]) }),
    );
  const first = await fails(forge.create(" ", plain(), {}, never));
  const { run } = first;
  expect([first, await fails(forge.rephrase(run, "x".repeat(2_001), {}, never))]).toEqual([
    { code: "E-CREATE-001", run },
    { code: "E-CREATE-007", run },
  ]);
  expect(await fails(forge.rephrase(run, "ask jane.doe@corp-mail.com about releases", {}, never))).toEqual({ code: "E-CREATE-011", run });
  const asking = codeOf(forge.rephrase(run, second, {}, never));
  await asleep(clock);
  await pass(clock, 120_000);
  expect(await asking).toBe("E-CREATE-010");
  const open = await forge.open();
  expect(open).toEqual([{ run: open[0]?.run, phase: "validate", name: "release-notes-git-write", description: second }]);
  expect(await forge.resume(undefined, { dryRun: true }, {}, never)).toMatchObject({ kind: "shown", name: "release-notes-git-write" });
  expect(left(dir)).toEqual([]);
  expect(await forge.resume(undefined, { dryRun: false }, yes, never)).toMatchObject({
    kind: "installed",
    run: open[0]?.run,
    name: "release-notes-git-write",
  });
  const alone = await forgeIn();
  expect(await codeOf(alone.forge.create(" ", plain(), {}, never))).toBe("E-CREATE-001");
  expect(await alone.forge.open()).toEqual([]);
});

test("~SKF-022: E-CREATE-011: a secret in the description stops the run before anything is kept", async () => {
  const { forge, dir } = await forgeIn();
  const secret = `ghp_${"aB3dE6gH9jK2mN5pQ8sT1vW4yZ7x".repeat(2).slice(0, 36)}`;
  expect(await codeOf(forge.create(`deploy with ${secret}`, plain(), yes, never))).toBe("E-CREATE-011");
  expect(await codeOf(forge.create("ask jane.doe@corp-mail.com about releases", plain(), yes, never))).toBe("E-CREATE-011");
  expect(await codeOf(forge.create("read http://wiki.corp/page first", plain(), yes, never))).toBe("E-CREATE-011");
  const edited = await forgeIn({
    say: ({ ask }) => (ask.kind === "diff" ? choose("replace", `${ask.text}\ntoken: ${secret}\n`) : undefined),
  });
  expect(await codeOf(edited.forge.create(WISH, plain(), {}, never))).toBe("E-CREATE-011");
  const database = readdirSync(path.join(dir, ".sylk")).map((name) => readFileSync(path.join(dir, ".sylk", name), "latin1"));
  expect(database.slice(0, 1).join("")).not.toContain("jane.doe");
  expect(left(dir)).toEqual([]);
});

test("SKF-004: E-CREATE-006: what fails a critical check cannot be approved", async () => {
  const { forge, dir } = await forgeIn({
    say: ({ ask }) => (ask.kind === "diff" ? choose("replace", ask.text.replace(/description: .*/, "description: A thing")) : undefined),
  });
  expect(await codeOf(forge.create(WISH, plain(), {}, never))).toBe("E-CREATE-006");
  expect(left(dir)).toEqual([]);
});

test("SKF-005 SKF-020: overwriting keeps a backup any tar can read", async () => {
  const { forge, file } = await forgeIn();
  mkdirSync(file(`.claude/skills/${NAME}`), { recursive: true });
  writeFileSync(file(`.claude/skills/${NAME}/SKILL.md`), "my own words\n");
  expect(await codeOf(forge.create(WISH, plain(), yes, never))).toBe("E-CREATE-008");
  expect(readFileSync(file(`.claude/skills/${NAME}/SKILL.md`), "utf8")).toBe("my own words\n");
  const outcome = await forge.create(WISH, plain(), { ...yes, onCollision: "overwrite" }, never);
  const backup = outcome.kind === "installed" ? (outcome.backup ?? "") : "";
  const kept = execFileSync("tar", ["-xzOf", backup, `.claude/skills/${NAME}/SKILL.md`], { encoding: "utf8" });
  expect(kept).toBe("my own words\n");
  expect(readFileSync(file(`.claude/skills/${NAME}/SKILL.md`), "utf8")).toContain("# Sql migrations");
});

test("SKF-005: a collision can be answered with another name or with stopping", async () => {
  const answers = [choose("rename", "lock-review"), choose("cancel")];
  const { forge, file } = await forgeIn({ say: () => answers.shift() });
  await forge.create(WISH, plain(), yes, never);
  const before = readFileSync(file(`.claude/skills/${NAME}/SKILL.md`), "utf8");
  const renamed = await forge.create(WISH, plain(), yes, never);
  expect(renamed).toMatchObject({ kind: "installed", name: "lock-review" });
  expect(await validate(file(".gemini/skills/lock-review"))).toEqual([]);
  expect(await forge.create(WISH, plain(), yes, never)).toMatchObject({
    kind: "rejected",
    by: "collision",
  });
  expect(readFileSync(file(`.claude/skills/${NAME}/SKILL.md`), "utf8")).toBe(before);
});

test("SKF-005 SKF-016: E-CREATE-010: no approval, no file: rejected, timed out, nobody there, dry run", async () => {
  const answers = [choose("reject"), undefined];
  const { forge, dir, clock } = await forgeIn({ say: () => answers.shift() });
  expect(await forge.create(WISH, plain(), {}, never)).toMatchObject({
    kind: "rejected",
    by: "person",
  });
  const alone = await forgeIn();
  expect(await codeOf(alone.forge.create(WISH, plain(), {}, never))).toBe("SKILL_NEEDS_APPROVAL");
  expect((await alone.forge.open()).map(({ phase }) => phase)).toEqual(["validate"]);
  expect(left(alone.dir)).toEqual([]);
  const waiting = codeOf(forge.create(WISH, plain(), {}, never));
  let ended = false;
  void waiting.then(() => (ended = true));
  await asleep(clock);
  await pass(clock, 119_999);
  expect(ended).toBe(false);
  await pass(clock, 1);
  expect(await waiting).toBe("E-CREATE-010");
  expect(await forge.create(WISH, plain({ dryRun: true }), {}, never)).toMatchObject({ kind: "shown", targets: ["claude", "gemini"] });
  expect(left(dir)).toEqual([]);
  expect((await forge.open()).map(({ phase }) => phase)).toEqual(["validate"]);
  expect(await forge.resume(undefined, { dryRun: false }, yes, never)).toMatchObject({ kind: "installed", name: NAME });
});

test("SKF-006: E-CREATE-009: a failure at the second target undoes the first and brings back what was overwritten", async () => {
  const block = (): void => {
    mkdirSync(file(".gemini"), { recursive: true });
    writeFileSync(file(".gemini/skills"), "a file where a folder should be");
  };
  const { forge, file, dir } = await forgeIn({
    say: ({ ask }) => (ask.kind === "diff" ? (block(), choose("approve")) : choose("overwrite")),
  });
  mkdirSync(file(`.claude/skills/${NAME}`), { recursive: true });
  writeFileSync(file(`.claude/skills/${NAME}/SKILL.md`), "my own words\n");
  const failed = forge.create(WISH, plain(), {}, never);
  await expect(failed).rejects.toMatchObject({ code: "E-CREATE-009", details: { target: "gemini" } });
  expect(readFileSync(file(`.claude/skills/${NAME}/SKILL.md`), "utf8")).toBe("my own words\n");
  expect(left(dir).filter((name) => name.includes(".new") || name.includes(".old"))).toEqual([]);
  rmSync(file(".gemini/skills"));
  const finished = await forge.resume(undefined, { dryRun: false }, { ...yes, onCollision: "overwrite" }, never);
  expect(finished.kind).toBe("installed");
  expect(existsSync(file(`.gemini/skills/${NAME}/SKILL.md`))).toBe(true);
});

test("~SKF-001: E-CREATE-009: a target that cannot be written is refused before anything starts", async () => {
  const { forge, file } = await forgeIn();
  writeFileSync(file(".claude"), "");
  expect(await codeOf(forge.create(WISH, plain(), yes, never))).toBe("E-CREATE-009");
  expect(await forge.open()).toEqual([]);
});

test("WMB-008: the checkpoints of a run are the three windows, typed and whole", async () => {
  const { forge, ringOf } = await forgeIn();
  const outcome = await forge.create(WISH, plain(), yes, never);
  const ring = await ringOf(outcome.run);
  expect(inputWindow.parse(ring?.get(1))).toMatchObject({
    description: WISH,
    target_cli: ["claude", "gemini"],
    template_name: "base",
    raw_input: WISH,
    input_valid: true,
    input_errors: [],
    input_hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
  });
  expect(processingWindow.parse(ring?.get(3))).toMatchObject({
    skill_name: NAME,
    template_used: "base",
    category_inferred: "action",
    validation_passed: true,
    validation_errors: [],
    metadata: { grade: "PASS" },
  });
  expect(approvalWindow.parse(ring?.get(4))).toMatchObject({
    collision_detected: false,
    collision_details: [],
    human_gate_response: "approve",
    action_chosen: null,
    backup_path: null,
    new_skill_name: null,
    persistence_ready: true,
  });
  const held = ring?.get(3) as { skill_name: string };
  held.skill_name = "changed from outside";
  expect(processingWindow.parse(ring?.get(3)).skill_name).toBe(NAME);
});

test("SKF-024: a hand-edited registry, a changed and a deleted folder are shown as drift", async () => {
  const { forge, file } = await forgeIn();
  await forge.create(WISH, plain(), yes, never);
  expect((await forge.list(never)).drift).toEqual([]);
  writeFileSync(file(".sylk/MEMORY.md"), "mine now");
  writeFileSync(file(`.claude/skills/${NAME}/SKILL.md`), "changed");
  rmSync(file(`.gemini/skills/${NAME}`), { recursive: true });
  expect((await forge.list(never)).drift.map(({ what }) => what)).toEqual(["registry_edited", "folder_changed", "folder_missing"]);
});

test("SKF-013: update, extract, import and remove", async () => {
  let diff = "";
  const { forge, file } = await forgeIn({ say: ({ ask }) => ((diff = ask.kind === "diff" ? ask.diff : ""), choose("approve")) });
  await forge.create(WISH, plain(), yes, never);
  const updated = await forge.update(NAME, "Check index creation too", plain(), {}, never);
  expect(updated).toMatchObject({ kind: "installed", name: NAME });
  expect(diff).toMatch(
    new RegExp(
      `^--- a/\\.claude/skills/${NAME}/SKILL\\.md\\n\\+\\+\\+ b/\\.claude/skills/${NAME}/SKILL\\.md\\n@@ .* @@\\n( .*\\n)+\\+\\n\\+## How to check index creation too\\n\\+\\n\\+> .*\\n$`,
    ),
  );
  expect(readFileSync(file(`.gemini/skills/${NAME}/SKILL.md`), "utf8")).toContain("## How to check index creation too");
  expect(readFileSync(file(`.gemini/skills/${NAME}/SKILL.md`), "utf8")).toContain("Input: {{args}}");
  expect((await forge.list(never)).skills).toMatchObject([{ name: NAME, version: 2 }]);

  mkdirSync(file("docs"));
  writeFileSync(file("docs/release.md"), "# Publish a release\n\nTag it, then push the tag.\n");
  writeFileSync(file("docs/long.md"), "# More\n\ntext\n");
  const extracted = await forge.extract("docs", plain({ targets: ["agents"] }), yes, never);
  expect(await validate(file(`.agents/skills/${extracted.name}`))).toEqual([]);
  expect(readFileSync(file(`.agents/skills/${extracted.name}/references/release.md`), "utf8")).toContain("Tag it");

  mkdirSync(file("elsewhere/notes-write"), { recursive: true });
  writeFileSync(
    file("elsewhere/notes-write/SKILL.md"),
    "---\nname: notes-write\ndescription: Writes notes. Use when someone asks for meeting notes in a fixed form.\nlicense: MIT\n---\n\n## How to write\n\nBriefly.\n",
  );
  await forge.import("elsewhere/notes-write", plain({ targets: ["codex"] }), yes, never);
  expect(readFileSync(file(".codex/skills/notes-write/SKILL.md"), "utf8")).toContain("license: MIT");

  expect(await forge.remove(NAME, { dryRun: true }, never)).toMatchObject({
    removed: false,
    folders: [file(`.claude/skills/${NAME}`), file(`.gemini/skills/${NAME}`)],
  });
  const { backup } = await forge.remove(NAME, { dryRun: false }, never);
  expect(existsSync(file(`.claude/skills/${NAME}`))).toBe(false);
  expect(execFileSync("tar", ["-tzf", backup ?? ""], { encoding: "utf8" })).toContain(`.claude/skills/${NAME}/SKILL.md`);
  expect(await codeOf(forge.show(NAME))).toBe("SKILL_NOT_FOUND");
});

test("what is installed and removed is in the audit, and a failed installation leaves nothing to undo", async () => {
  const { forge, store, file } = await forgeIn();
  await forge.create(WISH, plain(), yes, never);
  await forge.remove(NAME, { dryRun: false }, never);
  const entries = (await store.journal.read("audit")).map((event) => event.payload as { event_type: string; target: string });
  const target = [file(`.claude/skills/${NAME}`), file(`.gemini/skills/${NAME}`)].join(", ");
  expect(entries.map(({ event_type, target: of }) => ({ event_type, of }))).toEqual([
    { event_type: "skill_installed", of: target },
    { event_type: "skill_removed", of: target },
  ]);
  expect((await forge.list(never)).undone).toEqual([]);
});

test("a run that another process has is not taken from it", async () => {
  const { forge, store } = await forgeIn();
  expect(await codeOf(forge.create(WISH, plain(), {}, never))).toBe("SKILL_NEEDS_APPROVAL");
  const [open] = await forge.open();
  await store.work.claim(`ring/skill/${open?.run}`, "another-machine:1:1", 60_000);
  expect(await codeOf(forge.resume(undefined, { dryRun: false }, yes, never))).toBe("SKILL_RUNS_ELSEWHERE");
});
