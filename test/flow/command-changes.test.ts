/** What a task's commands change is recorded like an edit: told, shown, taken back. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/kernel/index.ts";
import { readTaskEvent } from "../../src/protocol/events/index.ts";
import { openApp, type App } from "../support/lab.ts";
import { filesOf, script, scriptedProject, type ScriptedProject } from "../support/scripted-project.ts";

const signal = new AbortController().signal;
const DONE = { name: "complete", input: { summary: "done" } };
const command = (line: string) => ({ name: "run_command", input: { command: line } });

const FILES = { "a.txt": "one\ntwo\n", "run.sh": "echo hi\n", "docs/with space.md": "words\n", "old.txt": "old\n" };
const NOTES = Buffer.from([0, 1, 2, 255, 10]);

function commit(dir: string): void {
  execFileSync("git", ["add", "-A"], { cwd: dir });
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "first"], { cwd: dir });
}

interface Started {
  app: App;
  id: string;
  status: string;
  actions: { summary: string; tracked?: boolean | undefined }[];
}

async function started(project: ScriptedProject, options: { worktree?: boolean } = {}): Promise<Started> {
  const permissions = { mode: "bypass" as const, allow: [], deny: [] };
  const app = await openApp({ cwd: project.dir, env: project.env, clock: systemClock, permissions });
  onTestFinished(() => app.close());
  const words = { goal: "tidy up", type: "implement_feature", role: "engineer", criteria: [], constraints: [], checks: [] };
  const id = await app.tasks.start({
    ...words,
    model: project.rules,
    profile: "minimal",
    maxSteps: undefined,
    worktree: options.worktree ?? false,
  });
  const state = await app.tasks.run(id, () => undefined, signal);
  const actions: Started["actions"] = [];
  for await (const { type, payload } of app.journal.export({ filter: { stream: `task/${id}` }, signal })) {
    const event = readTaskEvent(type, payload);
    if (event?.type === "task.acted") actions.push(event.payload);
  }
  return { app, id, status: state.status, actions };
}

const modeOf = (dir: string, name: string): number => statSync(path.join(dir, name)).mode & 0o777;

/** Each of its commands does one kind of change. */
const ALL_KINDS = [
  command("rm notes.bin 'docs/with space.md'"),
  command("sed -i s/one/ONE/ a.txt"),
  command("printf new > added.txt && mv old.txt moved.txt"),
  command("chmod 755 run.sh"),
  DONE,
];

test.each([
  { git: true, worktree: false },
  { git: false, worktree: false },
  { git: true, worktree: true },
  { git: false, worktree: true },
])(
  "what commands delete, change, add and permit is told, shown and taken back (git: $git, own tree: $worktree)",
  async ({ git, worktree }) => {
    const project = scriptedProject(FILES, script(ALL_KINDS));
    const { dir } = project;
    if (git) commit(dir);
    else rmSync(path.join(dir, ".git"), { recursive: true });
    // Never committed: nothing but what Sylk keeps could bring it back.
    writeFileSync(path.join(dir, "notes.bin"), NOTES);
    chmodSync(path.join(dir, "notes.bin"), 0o600);
    const before = filesOf(dir);
    const { app, id, status, actions } = await started(project, { worktree });
    expect(status).toBe("complete");
    expect(actions.slice(0, 4).map(({ tracked }) => tracked)).toEqual([true, true, true, true]);
    expect(actions[1]?.summary).toContain("it changed a.txt (modify)");
    const { text } = await app.changes.diff(id, signal);
    const [binary, permissions] = worktree ? ["a/notes.bin", "new mode 100755"] : ["notes.bin: changed", "run.sh: permissions 644 → 755"];
    for (const part of ["-one\n+ONE", binary, "+new", "-words", permissions, "moved.txt"]) expect(text).toContain(part);
    const merged = worktree ? await app.trees.merge(id, undefined, signal) : { kind: "merged" };
    expect(merged.kind).toBe("merged");
    expect(filesOf(dir)).not.toEqual(before);
    // What stands there may hold what the user wrote while a command ran.
    const asked = await app.changes.undo(id, { dryRun: true, force: false, signal });
    expect(asked.kind).toBe(worktree ? "undone" : "changed_since");
    const undone = await app.changes.undo(id, { dryRun: false, force: !worktree, signal });
    expect(undone).toMatchObject({ kind: "undone", commands: 0 });
    expect(filesOf(dir)).toEqual(before);
    expect(readFileSync(path.join(dir, "notes.bin"))).toEqual(NOTES);
    expect([modeOf(dir, "notes.bin"), modeOf(dir, "run.sh")]).toEqual([0o600, 0o644]);
  },
);

test("what was there all the time is nobody's change, what cannot be kept is told, and later work of the user is left alone", async () => {
  const project = scriptedProject(
    { ...FILES, ".gitignore": "*.env\n", "my.env": "KEY=1\n" },
    script([
      command("cat a.txt"),
      command("rm .gitignore"),
      command("mkdir __pycache__ && touch __pycache__/x.pyc && ln -s a.txt link"),
      command("rm -r big a.txt && touch big"),
      DONE,
    ]),
  );
  const { dir } = project;
  commit(dir);
  mkdirSync(path.join(dir, "big"));
  writeFileSync(path.join(dir, "big/file.bin"), Buffer.alloc(6 * 1024 * 1024));
  const { app, id, actions } = await started(project);
  const told = (tracked: boolean, summary: RegExp) => ({ tracked, summary: expect.stringMatching(summary) as string });
  expect(actions.slice(0, 4)).toMatchObject([
    told(true, /exited with 0 \([^)]*\)$/),
    told(true, /it changed \.gitignore \(delete\)$/),
    told(false, /exited with 0 \([^)]*\); what else it changed is not known and cannot be taken back: link \(a link [^)]*\)$/),
    told(false, /it changed a\.txt \(delete\), big \(create\); what else .* cannot be taken back: big\/file\.bin \([^)]*\)$/),
  ]);
  writeFileSync(path.join(dir, "a.txt"), "mine\n");
  const undo = (force: boolean) => app.changes.undo(id, { dryRun: false, force, signal });
  expect(await undo(false)).toMatchObject({ kind: "changed_since", files: expect.arrayContaining(["a.txt"]) as unknown });
  expect(readFileSync(path.join(dir, "a.txt"), "utf8")).toBe("mine\n");
  expect(await undo(true)).toMatchObject({ kind: "undone", commands: 2 });
  expect(filesOf(dir)).toMatchObject({ "a.txt": "one\ntwo\n", ".gitignore": "*.env\n", "my.env": "KEY=1\n" });
});

test("line endings and odd names are kept byte for byte", async () => {
  const project = scriptedProject(
    { ".gitattributes": "* text=auto eol=crlf\r\n", "win.txt": "a\r\nb\r\n", "two\nlines ü": "x\r\n" },
    script([command("rm win.txt two*"), DONE]),
  );
  commit(project.dir);
  const before = filesOf(project.dir);
  const { app, id } = await started(project);
  expect(Object.keys(filesOf(project.dir))).toEqual([".gitattributes"]);
  await app.changes.undo(id, { dryRun: false, force: true, signal });
  expect(filesOf(project.dir)).toEqual(before);
});
