/** When a check is run again and when what it said counts: real trees, real commands, counted outside of them. */
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { gitIn } from "../../test/support/knowledge-project.ts";
import { tempDir } from "../../test/support/temp.ts";
import { putFiles } from "../../test/support/temp-workspace.ts";
import { sqliteDriver, type BlobRef } from "../journal/index.ts";
import { systemClock } from "../kernel/index.ts";
import { EVENTS, STREAMS, USER } from "../protocol/events/index.ts";
import type { Place } from "../protocol/index.ts";
import { gateByRule, openWorkspace } from "../workspace/index.ts";
import { allOnRecord, recordIn, type Look } from "./check-record.ts";
import { runChecks } from "./run-checks.ts";
import type { CheckResult } from "./task-facts.ts";
import type { TaskState } from "./task-state.ts";
import { taskListView } from "./task-list-view.ts";
import { createTaskTrees } from "./trees/task-trees.ts";

const never = new AbortController().signal;
const REQUEST = "req_one";
const BY = { actor: USER };

type Where = { in: Place; later?: number; isCopy?: boolean; env?: Record<string, string>; session?: string; look?: Look; beside?: string };

/** A project under git with one piece's tree, a request that began, and a check that counts its runs outside. */
async function begun(files: Record<string, string> = {}) {
  const base = tempDir("checks");
  const dir = path.join(base, "project");
  const log = path.join(base, "runs.log");
  const command = (more = ""): string => `sh -c 'echo ran >> ${log}; ${more === "" ? "grep -q good a.txt" : more}'`;
  putFiles(dir, { "a.txt": "good\n", ".gitignore": "node_modules/\ndist/\n*.env\n", ...files });
  gitIn(dir, "init", "-q", ".");
  gitIn(dir, "add", "-A");
  gitIn(dir, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "start");
  const store = await sqliteDriver.open({
    path: path.join(base, "sylk.db"),
    clock: systemClock,
    durability: "process",
    views: [taskListView],
  });
  onTestFinished(() => store.close());
  let setup: string | null = null;
  const trees = createTaskTrees({
    projectDir: dir,
    tasksDir: path.join(base, "tasks"),
    stateDir: path.join(base, "state"),
    clock: systemClock,
    setUp: () => ({
      command: setup,
      make: ({ folder }) => {
        putFiles(folder, { "dist/set-up": "yes" });
        return Promise.resolve();
      },
    }),
    redact: (text) => text,
    existing: () => Promise.resolve(store),
    store: () => Promise.resolve(store),
  });
  const say = (event: Parameters<typeof store.journal.append>[2][number]) => store.journal.append(STREAMS.request(REQUEST), "any", [event]);
  await say(EVENTS.request.said.create({ on: "plan", question: "q", words: "begin" }, BY));
  const treeOf = async (id: string): Promise<Place & { kind: "tree" }> => {
    const tree = await trees.shared.open(id, undefined, never);
    return { kind: "tree", tree: id, folder: tree.path };
  };
  const partsFor = ({ in: place, later = 0, env = {}, session = REQUEST }: Where) => {
    const root = place.kind === "tree" ? place.folder : dir;
    const workspace = openWorkspace({
      root,
      gate: gateByRule("test", ["run"]),
      redact: (text) => text,
      clock: systemClock,
      parentEnv: { PATH: process.env["PATH"], ...env },
    });
    onTestFinished(() => workspace[Symbol.asyncDispose]());
    const task = { id: "task_one", session, place } as TaskState["created"];
    const clock = { ...systemClock, now: () => systemClock.now() + later };
    return { engine: { store, clock, trees }, task, workspace };
  };
  const check = async (line: string, where: Where): Promise<CheckResult> => {
    const parts = partsFor(where);
    const record = recordIn(parts, { isCopy: where.isCopy === true });
    if (where.beside !== undefined) await parts.workspace.processes.background.start({ command: where.beside });
    const { blobs } = store;
    const checks = [{ name: "check", command: line }];
    const [result] = await runChecks({ workspace: parts.workspace, blobs, checks, record, look: where.look, signal: never });
    return result as CheckResult;
  };
  return {
    base,
    dir,
    store,
    trees,
    say,
    treeOf,
    command,
    check,
    setUp: (line: string) => (setup = line),
    /** In a copy of a place, as a judge has it, unless all of it is known. */
    judge: async (lines: readonly string[], place: Place): Promise<CheckResult[]> => {
      const checks = lines.map((line, index) => ({ name: `check ${index + 1}`, command: line }));
      const stands = await trees.stands(place, never);
      const known = stands === undefined ? undefined : await allOnRecord(partsFor({ in: place }), stands, checks);
      if (known !== undefined) return known;
      return trees.withCopy(place, never, async (copy) => {
        const parts = partsFor({ in: copy });
        const record = recordIn(parts, { isCopy: true });
        const how = { workspace: parts.workspace, blobs: store.blobs, record, signal: never };
        const first = await runChecks({ ...how, checks });
        const red = first.filter(({ passed }) => !passed);
        if (red.length > 0) await runChecks({ ...how, checks: red, look: "again" });
        return first;
      });
    },
    runs: (): number => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n").length : 0),
  };
}

const PROJECT: Place = { kind: "project", folder: "." };

test("what passed in a copy counts in trees with the same files, in other copies and in the project, and says when it ran", async () => {
  const { command, check, judge, treeOf, runs } = await begun();
  const [one, two] = [await treeOf("team_one"), await treeOf("team_two")];
  const [ran] = await judge([command()], one);
  const known = [await check(command(), { in: two }), ...(await judge([command()], two)), ...(await judge([command()], PROJECT))];
  expect([runs(), ran?.passed, ran?.as_run_at]).toEqual([1, true, undefined]);
  expect(ran?.record).toMatch(/^evt_/u);
  for (const one of known) expect(one).toMatchObject({ passed: true, record: ran?.record, as_run_at: expect.any(Number) as unknown });
  writeFileSync(path.join(two.folder, "a.txt"), "good and more\n");
  await check(command(), { in: two });
  writeFileSync(path.join(two.folder, "new.txt"), "not known to git\n");
  await check(command(), { in: two });
  expect(runs()).toBe(3);
});

test("what is put into a copy where git ignores it is looked at: what ran without it says nothing of it", async () => {
  const { command, check, judge, treeOf, trees, runs } = await begun();
  const one = await treeOf("team_one");
  const line = command("! test -e dist/hidden");
  expect((await judge([line], one))[0]?.passed).toBe(true);
  const held = await trees.withCopy(one, never, (copy) => {
    putFiles(copy.kind === "tree" ? copy.folder : "", { "dist/hidden": "a test that is held out" });
    return check(line, { in: copy, isCopy: true });
  });
  expect([held.passed, held.record, runs()]).toEqual([false, undefined, 2]);
});

test("what ran in a tree somebody works in counts there and nowhere else", async () => {
  const { command, check, judge, treeOf, runs } = await begun();
  const [one, two] = [await treeOf("team_one"), await treeOf("team_two")];
  await check(command(), { in: one });
  await check(command(), { in: one });
  expect(runs()).toBe(1);
  await check(command(), { in: two });
  expect(runs()).toBe(2);
  await judge([command()], one);
  expect(runs()).toBe(3);
});

test.each<[string, Record<string, string>, (folder: string) => void, string]>([
  ["an empty folder", {}, (folder) => mkdirSync(path.join(folder, "out")), "test -d out"],
  [
    "line ends that git evens out",
    { ".gitattributes": "* text=auto\n" },
    (folder) => putFiles(folder, { "data.txt": "a\r\nb\r\n" }),
    `grep -q "$(printf "\\\\r")" data.txt`,
  ],
  [
    "a file in a tool's cache",
    { ".gitignore": ".cache/\n" },
    (folder) => putFiles(folder, { ".cache/impl.js": "1" }),
    "test -e .cache/impl.js",
  ],
  ["a pipe", {}, (folder) => void execFileSync("mkfifo", [path.join(folder, "pipe")]), "test -p pipe"],
])("%s that a builder has in its tree makes a check pass there; a judge does not believe it", async (_what, files, builds, line) => {
  const { command, check, judge, treeOf } = await begun(files);
  const one = await treeOf("team_one");
  builds(one.folder);
  expect((await check(command(line), { in: one })).passed).toBe(true);
  expect(await judge([command(line)], one)).toMatchObject([{ passed: false }]);
});

test("a dependency that stands elsewhere may change unseen: it is run", async () => {
  const { base, dir, command, judge, runs } = await begun();
  putFiles(base, { "mylib/index.js": "1" });
  mkdirSync(path.join(dir, "node_modules"));
  symlinkSync(path.join(base, "mylib"), path.join(dir, "node_modules/mylib"));
  await judge([command()], PROJECT);
  await judge([command()], PROJECT);
  expect(runs()).toBe(2);
});

test("what failed is run a second time before it counts as looked at twice, and what it said names the folder of whoever asks", async () => {
  const { command, check, judge, treeOf, runs, store } = await begun({ "a.txt": "bad\n" });
  const two = await treeOf("team_two");
  const line = command("echo Error: at $PWD/a.txt >&2; echo $PWD/a.ts:1:1: error: in $PWD; exit 1");
  await judge([line], PROJECT);
  expect(runs()).toBe(2);
  const known = await check(line, { in: two, look: "again" });
  expect([runs(), known.passed, known.summary.includes(two.folder)]).toEqual([2, false, true]);
  expect(known.problems?.map(({ message }) => message)).toEqual([expect.stringContaining(`in ${two.folder}`)]);
  expect(Buffer.from(await store.blobs.get(known.output as BlobRef)).toString()).toContain(`at ${two.folder}/a.txt`);
  await judge([line], two);
  expect(runs()).toBe(2);
});

test("what failed is run again once the person said something; what passed is not", async () => {
  const { command, check, treeOf, runs, say } = await begun();
  const one = await treeOf("team_one");
  await check(command(), { in: one });
  await check(command("exit 1"), { in: one });
  await say(EVENTS.request.said.create({ on: "plan", question: "q2", words: "I started the database" }, BY));
  await check(command(), { in: one });
  expect(runs()).toBe(2);
  await check(command("exit 1"), { in: one });
  expect(runs()).toBe(3);
  for (const [index, event] of [
    EVENTS.request.added.create({ words: "it is there now" }, BY),
    EVENTS.request.resumed.create({}, BY),
    EVENTS.question.answered.create({ answer: { kind: "chosen", value: "yes" } }, BY),
    EVENTS.pipeline.signalled.create({ signal: "resume", reason: "" }, BY),
    EVENTS.pipeline.answered.create({ choice: "retry", words: "" }, BY),
  ].entries()) {
    await say(event);
    await check(command("exit 1"), { in: one });
    await check(command("exit 1"), { in: one });
    expect(runs()).toBe(4 + index);
  }
});

test("what said two things of the same files is run every time", async () => {
  const { base, command, check, treeOf, runs } = await begun();
  const one = await treeOf("team_one");
  const line = command(`test -e ${base}/once || { touch ${base}/once; exit 1; }`);
  expect((await check(line, { in: one })).passed).toBe(false);
  expect((await check(line, { in: one, look: "again" })).passed).toBe(true);
  await check(line, { in: one });
  await check(line, { in: one });
  expect(runs()).toBe(4);
  // Nor is it believed of others.
  writeFileSync(path.join(one.folder, "a.txt"), "good and more\n");
  await check(line, { in: one });
  await check(line, { in: one });
  expect(runs()).toBe(6);
});

test("what failed, and passes after the files were changed, said one thing of each: it is not run again", async () => {
  const { command, check, treeOf, runs } = await begun({ "a.txt": "bad\n" });
  const one = await treeOf("team_one");
  expect((await check(command(), { in: one })).passed).toBe(false);
  writeFileSync(path.join(one.folder, "a.txt"), "good\n");
  expect((await check(command(), { in: one })).passed).toBe(true);
  expect((await check(command(), { in: one })).passed).toBe(true);
  expect(runs()).toBe(2);
});

test("what is known is told by the name that it has for whoever asks", async () => {
  const { command, judge, treeOf, runs } = await begun();
  const one = await treeOf("team_one");
  const [first, second] = [command("true"), command()];
  await judge([first, second], one);
  const known = await judge([second, first], one);
  expect([runs(), known.map((check) => [check.name, check.command])]).toEqual([
    2,
    [
      ["check 1", second],
      ["check 2", first],
    ],
  ]);
});

test("what failed once in a copy is run by the next judge, who looks twice", async () => {
  const { command, check, judge, treeOf, runs } = await begun({ "a.txt": "bad\n" });
  const one = await treeOf("team_one");
  await check(command(), { in: one, isCopy: true });
  await judge([command()], one);
  expect(runs()).toBe(2);
});

test("beside something that was started there nothing is known and nothing is kept; beside what ended it is", async () => {
  const { command, check, treeOf, runs } = await begun();
  const one = await treeOf("team_one");
  await check(command(), { in: one, beside: "sleep 600" });
  await check(command(), { in: one });
  await check(command(), { in: one, beside: "sleep 600" });
  expect(runs()).toBe(3);
  await check(command(), { in: one });
  expect(runs()).toBe(3);
});

test("after an hour it is run again", async () => {
  const { command, check, treeOf, runs } = await begun();
  const one = await treeOf("team_one");
  await check(command(), { in: one });
  await check(command(), { in: one, later: 59 * 60_000 });
  expect(runs()).toBe(1);
  await check(command(), { in: one, later: 61 * 60_000 });
  expect(runs()).toBe(2);
});

const unsure: Record<string, string> = {
  "changes its own files": "date +%N > a.txt",
  "writes a new file": "date +%N > new.txt",
  "is killed": "kill -9 $$",
  "asks git what was changed": "git status >/dev/null",
  "could not run": "no-such-program-anywhere",
};
for (const [title, more] of Object.entries(unsure))
  test(`a check that ${title} is run every time`, async () => {
    const { command, check, treeOf, runs } = await begun();
    const one = await treeOf("team_one");
    await check(command(more), { in: one });
    // As it was when it began.
    gitIn(one.folder, "checkout", "-q", ".");
    gitIn(one.folder, "clean", "-fdq");
    await check(command(more), { in: one });
    expect(runs()).toBe(2);
  });

test("a script of the package that asks git is found behind the command's name", async () => {
  const scripts = {
    test: "npm run -s changed",
    changed: "git diff --quiet || true",
    release: "true",
    build: "true",
    prebuild: "git status",
    pack: "true",
    postpack: "git status",
  };
  const { check, treeOf, store } = await begun({ "package.json": JSON.stringify({ scripts }) });
  const one = await treeOf("team_one");
  await check("npm test", { in: one });
  await check("npm run build", { in: one });
  await check("npm run pack", { in: one });
  for (const asks of ["--changed", "--only-changed", "--changedSince=main", "--onlyChanged", "--since main", "lint-staged", "affected"])
    await check(`true ${asks}`, { in: one });
  await check("npm run release", { in: one });
  const kept = (await store.journal.read(STREAMS.check(REQUEST))).map(({ payload }) => (payload as { result: CheckResult }).result.command);
  expect(kept).toEqual(["npm run release"]);
});

test("another environment, another request, a run that is wanted anew: it is run; without a request nothing is kept", async () => {
  const { command, check, treeOf, runs, store } = await begun();
  const one = await treeOf("team_one");
  await check(command(), { in: one });
  await check(command(), { in: one, env: { NODE_ENV: "production" } });
  await check(command(), { in: one, look: "anew" });
  expect(runs()).toBe(3);
  await store.journal.append(STREAMS.request("req_two"), 0, [
    EVENTS.request.said.create({ on: "plan", question: "q", words: "begin" }, BY),
  ]);
  await check(command(), { in: one, session: "req_two" });
  await check(command(), { in: one, session: "no_request" });
  await check(command(), { in: one, session: "no_request" });
  expect(runs()).toBe(6);
  expect(await store.journal.head(STREAMS.check("no_request"))).toBe(0);
});

test("what a builder left in ignored folders says nothing to a judge; judges share what they ran", async () => {
  const { command, check, judge, treeOf, runs } = await begun();
  const one = await treeOf("team_one");
  putFiles(one.folder, { "dist/built.js": "1" });
  await check(command(), { in: one });
  await check(command(), { in: one });
  expect(runs()).toBe(2);
  await judge([command()], one);
  await judge([command()], one);
  expect(runs()).toBe(3);
});

test("a check that leaves something for the next is not left out before one that must run", async () => {
  const { command, judge, treeOf, runs } = await begun();
  const one = await treeOf("team_one");
  const [build, use, other] = [command("mkdir -p dist; echo 1 > dist/x"), command("test -e dist/x"), command("test -e dist/x; true")];
  expect((await judge([build, use], one)).map(({ passed }) => passed)).toEqual([true, true]);
  expect((await judge([build, use], one)).map(({ passed }) => passed)).toEqual([true, true]);
  expect(runs()).toBe(2);
  // The second is not known after nothing but the third.
  expect((await judge([build, other, use], one)).map(({ passed }) => passed)).toEqual([true, true, true]);
  expect(runs()).toBe(5);
  expect((await judge([use], one)).map(({ passed }) => passed)).toEqual([false]);
});

test("dependencies that were installed since, and files lent to trees, make it another state; a tree that has more of them is none", async () => {
  const { dir, command, check, treeOf, runs, judge } = await begun({ ".worktreeinclude": "*.env\n" });
  putFiles(dir, { "node_modules/dep/index.js": "1", "test.env": "A=1" });
  const one = await treeOf("team_one");
  await judge([command()], PROJECT);
  await check(command(), { in: one });
  expect(runs()).toBe(1);
  putFiles(dir, { "node_modules/other/index.js": "1" });
  await judge([command()], PROJECT);
  expect(runs()).toBe(2);
  writeFileSync(path.join(dir, "test.env"), "A=2");
  await judge([command()], PROJECT);
  expect(runs()).toBe(3);
  const two = await treeOf("team_two");
  await check(command(), { in: two });
  expect(runs()).toBe(3);
  putFiles(two.folder, { "node_modules/own/index.js": "1" });
  await check(command(), { in: two });
  expect(runs()).toBe(4);
});

test("packages that are linked to the project's own files are part of what is seen", async () => {
  const { dir, command, judge, treeOf, runs } = await begun({ "packages/dep/index.js": "1" });
  mkdirSync(path.join(dir, "node_modules"));
  symlinkSync("../packages/dep", path.join(dir, "node_modules/dep"));
  const one = await treeOf("team_one");
  await judge([command()], one);
  await judge([command()], one);
  expect(runs()).toBe(1);
  appendFileSync(path.join(dir, "packages/dep/index.js"), "2");
  await judge([command()], one);
  expect(runs()).toBe(2);
});

test("where trees are made ready by a command, only what ran in copies counts, and only for the same command", async () => {
  const { setUp, command, check, judge, treeOf, runs } = await begun();
  setUp("install one");
  const one = await treeOf("team_one");
  await check(command(), { in: one });
  await check(command(), { in: one });
  await judge([command()], one);
  await judge([command()], one);
  expect(runs()).toBe(3);
  setUp("install two");
  await judge([command()], one);
  expect(runs()).toBe(4);
});

test("a repository inside the tree is no part of what can be named: it is run", async () => {
  const { command, check, treeOf, runs } = await begun();
  const one = await treeOf("team_one");
  mkdirSync(path.join(one.folder, "inner"));
  gitIn(path.join(one.folder, "inner"), "init", "-q", ".");
  putFiles(one.folder, { "inner/a.txt": "1" });
  gitIn(path.join(one.folder, "inner"), "add", "-A");
  await check(command(), { in: one });
  await check(command(), { in: one });
  expect(runs()).toBe(2);
  rmSync(path.join(one.folder, "inner"), { recursive: true });
});
