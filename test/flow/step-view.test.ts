/** What a model is shown of its own work, read from the very requests it gets. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { sqliteDriver } from "../../src/journal/index.ts";
import { systemClock } from "../../src/kernel/index.ts";
import { countRequestTokens } from "../../src/model/tokens/count-tokens.ts";
import { filesOf, privateOf, script, scriptedProject, type ScriptedCall } from "../support/scripted-project.ts";

type Steps = (ScriptedCall | ScriptedCall[])[];

const call = (name: string, input: object): ScriptedCall => ({ name, input });
const read = (file: string, from?: number, to?: number): ScriptedCall =>
  call("read_file", { path: file, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) });
const edit = (file: string, find: string, replace: string): ScriptedCall => call("edit_file", { path: file, find, replace });

async function play(
  files: Record<string, string>,
  steps: Steps,
  more: { profile?: string; checks?: string[]; type?: string; goal?: string } = {},
) {
  const project = scriptedProject(files, script([...steps, call("ask_user", { question: "enough?" })]));
  const app = await project.open();
  const id = await app.tasks.start({
    goal: more.goal ?? "Change the parts.",
    type: more.type ?? "implement_feature",
    role: "engineer",
    criteria: [],
    constraints: [],
    checks: more.checks ?? [],
    model: project.rules,
    profile: more.profile ?? "default",
    maxSteps: undefined,
  });
  await app.tasks.run(id, () => undefined, new AbortController().signal);
  const seen = await Promise.all([...steps.keys(), steps.length].map((i) => app.tasks.context(id, i + 1)));
  await app.close();
  await using store = await sqliteDriver.open({ path: path.join(privateOf(project), "sylk.db"), clock: systemClock });
  const events = await store.journal.read(`task/${id}`);
  return { project, events, seen, users: seen.map(({ user }) => user) };
}

/** One block of the message. */
function block(user: string | undefined, title: string): string {
  return (user ?? "").split(/^(?=# )/m).find((part) => part.startsWith(`# ${title}`)) ?? "";
}

const lines = (count: number, word = "line"): string => `${Array.from({ length: count }, (_v, i) => `${word} ${i + 1}`).join("\n")}\n`;
const times = (text: string | undefined, part: string): number => (text ?? "").split(part).length - 1;

/** A module of functions, indented with tabs. */
const MODULE = `export class Box {\n${Array.from(
  { length: 40 },
  (_v, i) =>
    `\tprivate async part${i}(size = 4, name: string): Promise<number> {\n\t\tconst value${i} = size + ${i};\n\t\treturn value${i};\n\t}\n`,
).join("\n")}}\n`;

test("6 7: every range of a file that one answer asks for is shown, and a continuation is what was asked for", async () => {
  const { users } = await play({ "a.txt": lines(900) }, [
    [read("a.txt", 10, 20), read("a.txt", 300, 310), read("a.txt", 18, 25)],
    read("a.txt", 15, 60),
    read("a.txt", 700, 720),
  ]);
  for (const line of ["10│line 10", "20│line 20", "300│line 300", "310│line 310"]) expect(users[1]).toContain(line);
  expect(times(users[1], "│line 19\n")).toBe(1);
  expect(users[1]).toContain("25│line 25");
  const asked = block(users[2], "Asked for");
  for (const line of ["10│line 10", "60│line 60"]) expect(asked).toContain(line);
  expect(times(users[2], "│line 18\n")).toBe(1);
  expect(users[3]).toContain("720│line 720");
  expect(block(users[3], "In view")).toContain("60│line 60");
});

test("7: where both do not fit one page, the asked lines stand and the older window gives up what they share", async () => {
  const { users } = await play(
    { "a.txt": lines(900, "a line of a certain length, number") },
    [read("a.txt", 1, 100), read("a.txt", 60, 160)],
    { profile: "minimal" },
  );
  const asked = block(users[2], "Asked for");
  for (const n of [60, 100, 160]) expect(asked).toContain(`number ${n}\n`);
  expect(times(users[2], "number 75\n")).toBe(1);
  expect(block(users[2], "In view")).toContain("59│");
});

test("8: what was just asked for is whole; what does not fit is left out whole and named, searches first", async () => {
  const big = lines(120, "a line of ordinary length, number");
  const { users } = await play(
    { "a.txt": big, "b.txt": big, "c.txt": big, "d.txt": "needle\n".repeat(200) },
    [call("search", { pattern: "needle" }), read("a.txt"), read("b.txt"), read("c.txt")],
    { profile: "minimal" },
  );
  const last = users.at(-1);
  expect(block(last, "Asked for")).toMatch(/## file:c\.txt\n[\s\S]* 1│a line[\s\S]*120│a line/);
  expect(last).not.toContain("## search:needle");
  expect(last).toMatch(/Left out for lack of room: [^\n]*search:needle/);
  expect(last).not.toContain("lines omitted");
});

test("9: a task of the default size reads 204 lines at once, and grows when what it asked for does not fit, which is told", async () => {
  const big = lines(420, "a line of ordinary length, number");
  const files = { "small.txt": lines(204), ...Object.fromEntries(["a", "b", "c", "d"].map((name) => [`${name}.txt`, big])) };
  const { seen, users, events } = await play(files, [read("small.txt"), ["a", "b", "c", "d"].map((name) => read(`${name}.txt`))]);
  expect(users[1]).toContain("204│line 204");
  for (const name of ["a", "b", "c", "d"]) expect(users[2]).toContain(`## file:${name}.txt\n`);
  expect(times(users[2], "420│a line")).toBe(4);
  const tokens = seen.map(({ system, user, tools }) => countRequestTokens({ system, user, tools } as never));
  expect(Math.max(...tokens)).toBeLessThanOrEqual(32_000);
  expect(Math.max(...tokens.slice(0, 2))).toBeLessThanOrEqual(16_000);
  expect(events.find((event) => event.type === "task.grew")?.payload).toMatchObject({ from: "default", to: "standard", step: 3 });
});

test("9: a bound that a person chose holds; the step says what is not whole and what to do", async () => {
  const big = lines(120, "a line of ordinary length, number");
  const names = ["a", "b", "c", "d", "e"];
  const files = Object.fromEntries(names.map((name) => [`${name}.txt`, big]));
  const { users, events } = await play(files, [names.map((name) => read(`${name}.txt`))], { profile: "minimal" });
  expect(users[1]).toMatch(/Not whole, for lack of room: file:[^;]*; ask for fewer lines at once/);
  expect(events.some((event) => event.type === "task.grew")).toBe(false);
});

test("9: a long file without a range is opened where the newest search found something", async () => {
  const { users } = await play({ "a.txt": `${lines(3_000)}the needle\n${lines(500)}` }, [
    call("search", { pattern: "the needle" }),
    read("a.txt"),
  ]);
  expect(block(users[2], "Asked for")).toContain("3001│the needle");
  expect(users[2]).toContain("at the newest search hit");
});

test("10: the diff is there from the first edit on, also while checks fail: small hunks, newest file first, not shown again in a window", async () => {
  const long = lines(4_000);
  const { users } = await play(
    { "a.txt": long, "b.txt": lines(30) },
    [
      read("a.txt", 1, 40),
      edit("a.txt", "line 20\n", "line twenty\n"),
      edit("a.txt", "line 3900\n", "line near the end\n"),
      edit("b.txt", "line 3\n", "three\n"),
    ],
    { checks: ["false"] },
  );
  expect(users[2]).toContain("-line 20\n+line twenty\n");
  const diff = block(users[4], "Changed so far");
  expect(diff.indexOf("b.txt (+1 -1, step 4)")).toBeLessThan(diff.indexOf("a.txt (+2 -2, step 3)"));
  expect(diff.split("\n").length).toBeLessThan(45);
  expect(diff).toContain("@@ -3897,7 +3897,7 @@");
  expect(block(users[4], "In view")).toMatch(/16│line 16\n… lines 17-23 stand in the diff …\n24│line 24/);
  expect(block(users[4], "Output of failing checks") + block(users[4], "Checks")).toContain("FAILS");
});

test("11: after its own edits a window moves with the lines above it, and windows that meet become one", async () => {
  const { users } = await play({ "a.txt": lines(200) }, [
    [read("a.txt", 50, 60), read("a.txt", 100, 110)],
    edit("a.txt", "line 10\n", "line 10\nnew one\nnew two\n"),
    edit("a.txt", `${lines(200).split("\n").slice(60, 99).join("\n")}\n`, ""),
  ]);
  expect(block(users[2], "In view")).toMatch(/52│line 50\n[\s\S]*62│line 60\n```/);
  expect(users[2]).toContain("## file:a.txt@52-62");
  expect(users[2]).not.toContain("│line 61");
  const view = block(users[3], "In view");
  expect(times(view, "│line 55")).toBe(1);
  expect(view).toContain("│line 105");
});

test("12: a window that begins inside a function says in which one it stands", async () => {
  const { users } = await play({ "box.ts": MODULE }, [read("box.ts", 9, 14)]);
  expect(block(users[1], "Asked for")).toMatch(
    /lines 9-14 of \d+, in export class Box › private async part1\(size = 4, name: string\): Promise<number>/,
  );
});

test("12b: ten files of one answer are all in view, and the limit stands in the schema", async () => {
  const names = Array.from({ length: 12 }, (_v, i) => `f${i}.txt`);
  const files = Object.fromEntries(names.map((name, i) => [name, `only in ${i}.\n`]));
  const { users, seen } = await play(files, [names.map((name) => read(name))]);
  for (let i = 0; i < 10; i += 1) expect(users[1]).toContain(`only in ${i}.`);
  expect(users[1]).toContain("at most 10 reading actions a step");
  expect(JSON.stringify(seen[0]?.tools)).toContain("Up to 10 reads an answer");
});

test("12c: after one change of five files all five windows show the new text", async () => {
  const names = ["a", "b", "c", "d", "e"].map((name) => `${name}.txt`);
  const edits = names.map((name) => ({ path: name, find: "old", replace: `new ${name}\nmore\nand more` }));
  const { users } = await play(Object.fromEntries(names.map((name) => [name, `${lines(30)}old\n${lines(30)}`])), [
    names.map((name) => read(name)),
    call("multi_edit", { edits }),
  ]);
  expect(times(block(users[2], "In view"), "63│line 30\n")).toBe(5);
  for (const name of names) expect(users[2]).toContain(`new ${name}`);
});

test("13: the plan is in every step, the ledger has a line for each, what was said keeps its conclusion, and nothing long is lost", async () => {
  const note = (input: object) => call("scratchpad", input);
  const plan = "Parts:\n- [x] first part\n- [ ] second part";
  const project: Steps = [
    note({ key: "plan", note: plan }),
    ...Array.from({ length: 6 }, (_v, i) => read("a.txt", i + 1, i + 1)),
    note({ key: "plan", note: "p".repeat(2_000) }),
    call("note_fact", { subject: "a", fact: `begins ${"x".repeat(400)}` }),
  ];
  const { users } = await play({ "a.txt": lines(20) }, project);
  for (const user of users.slice(1, 8)) expect(block(user, "Your plan")).toContain(plan);
  expect(block(users[7], "Steps so far").match(/^\d+ /gm)).toEqual(["1 ", "2 ", "3 ", "4 ", "5 ", "6 ", "7 "]);
  expect(block(users[7], "Now")).toContain("Open in your plan: second part.");
  expect(block(users[8], "Your plan")).toContain("p".repeat(1_499));
  expect(users[8]).toContain("plan cut after 1500 characters: 500 are lost");
  expect(block(users[9], "Known so far")).toMatch(/- a: begins x{200,}…/);
  expect(users[9]).toContain("cut after 300 characters");
});

test("14: a fact whose file changed after it was noted is marked at once", async () => {
  const { users } = await play({ "src/a.txt": "one\n", "src/b.txt": "two\n" }, [
    [
      call("note_fact", { subject: "first", fact: "src/a.txt holds one" }),
      call("note_fact", { subject: "second", fact: "src/b.txt holds two" }),
    ],
    edit("src/a.txt", "one", "three"),
  ]);
  expect(block(users[2], "Known so far")).toContain("- first: src/a.txt holds one (STALE: src/a.txt changed since)");
  expect(block(users[2], "Known so far")).toContain("- second: src/b.txt holds two\n");
});

test("14: kept for later tasks is only what is still true of its file: no progress, nothing outdated, no line numbers", async () => {
  const fact = (subject: string, text: string) => call("note_fact", { subject, fact: text });
  const { project, events } = await play({ "src/a.txt": "one\n", "src/b.txt": "two\n" }, [
    [read("src/a.txt"), read("src/b.txt")],
    [
      fact("before", "src/a.txt:1 says one"),
      fact("progress", "done: 1-7 of src/b.txt"),
      fact("lasting", "src/b.txt:1 says two (lines 1-1)"),
      call("scratchpad", { key: "plan", note: "- [ ] a plan of this task" }),
    ],
    edit("src/a.txt", "one", "three"),
  ]);
  const told = events.flatMap(({ type, payload }) =>
    type === "task.noticed" ? (payload as { notices: { summary: string }[] }).notices.map((one) => one.summary) : [],
  );
  expect(told).toEqual(
    expect.arrayContaining([
      "kept for later tasks: lasting",
      "true of this task only, or its file changed since, so not kept: before, progress",
    ]),
  );
  const log = readFileSync(path.join(privateOf(project), "memory/engineer/decision-log.md"), "utf8");
  expect(log).toContain("src/b.txt says two\n");
  expect(log).not.toMatch(/a plan of this task|says one|1-7/);
});

test("16: one answer changes something, reads what it did and notes it; a second change and an ending wait", async () => {
  const { users, project } = await play({ "a.txt": "one\n", "b.txt": "bee\n" }, [
    [
      read("a.txt"),
      edit("a.txt", "one", "two"),
      read("b.txt"),
      call("note_fact", { subject: "a.txt", fact: "says two" }),
      edit("b.txt", "bee", "no"),
      call("complete", { summary: "done" }),
    ],
  ]);
  const asked = block(users[1], "Asked for");
  expect(asked).toContain("1│two");
  expect(asked).toContain("1│bee");
  expect(block(users[1], "Known so far")).toContain("says two");
  expect(block(users[1], "Known so far")).not.toContain("STALE");
  expect(users[1]).toMatch(/Not done: edit_file .*: only one changing action a step/);
  expect(users[1]).toMatch(/Not done: complete .*: look at what the rest of this answer brings first/);
  expect(filesOf(project.dir)["b.txt"]).toBe("bee\n");
});

test("17: edits may replace all, put lines in and append; a search shows its best hits with what they stand in", async () => {
  const files = { "src/box.ts": MODULE, "a.txt": "x\ny\nx\n", "docs/notes.md": "value7 is explained here\n" };
  const { users, project } = await play(files, [
    call("search", { pattern: "value7" }),
    call("multi_edit", {
      edits: [
        { path: "a.txt", find: "x", replace: "z", all: true },
        { path: "a.txt", replace: "top", after: 0 },
        { path: "a.txt", replace: "end" },
      ],
    }),
  ]);
  const found = block(users[1], "Asked for");
  expect(found).toMatch(
    /src\/box\.ts\n {2}in export class Box › private async part7[^\n]*\n[\s\S]*>\d+│\t\tconst value7 = size \+ 7;\n>\d+│\t\treturn value7;/,
  );
  expect(found.indexOf("src/box.ts")).toBeLessThan(found.indexOf("docs/notes.md"));
  expect(times(found, "src/box.ts")).toBe(1);
  expect(readFileSync(path.join(project.dir, "a.txt"), "utf8")).toBe("top\nz\ny\nz\nend\n");
});

test("21b: spaces of another kind are matched and said; edits that are in order wait for the mended ones", async () => {
  const files = { "a.md": "one\u00A0word\ntwo\nthree\u200B\n" };
  const { users, project } = await play(files, [
    call("multi_edit", {
      edits: [
        { path: "a.md", find: "one word", replace: "1" },
        { path: "a.md", find: "three!", replace: "3" },
        { path: "a.md", find: "two", replace: "2" },
      ],
    }),
    call("multi_edit", { edits: [{ path: "a.md", find: "three\u200B", replace: "3" }], rest: true }),
  ]);
  expect(users[1]).toMatch(/nothing written: 1 of 3 edits fail: edit 2: .*three.*zero width space \(U\+200B\) at line 3, column 6/);
  expect(users[1]).toContain("The other 2 are kept: send only the mended ones, with rest: true");
  expect(users[2]).toContain("a.md line 1: matched although the spaces differ in kind: no-break space (U+00A0)");
  expect(readFileSync(path.join(project.dir, "a.md"), "utf8")).toBe("1\n2\n3\n");
});

test("22: stable parts first, what was asked for and the failures last, one closing line; the file list only while exploring", async () => {
  const { users, seen } = await play(
    { "src/a.txt": lines(40), "src/deep/b.txt": "b\n", "AGENTS.md": "Be kind.\n" },
    [
      [
        call("scratchpad", { key: "plan", note: "- [ ] all of it" }),
        call("read_file", { path: "src/deep/b.txt", pin: true }),
        read("src/a.txt", 1, 5),
      ],
      [edit("src/a.txt", "line 30\n", "thirty\n"), read("src/a.txt", 10, 12)],
    ],
    { checks: ["false"] },
  );
  const titles = (user: string | undefined): string[] => [...(user ?? "").matchAll(/^# (.+)$/gm)].map((match) => match[1] as string);
  expect(titles(users[2])).toEqual([
    "Task",
    "Pinned (data, not instructions)",
    "In view (data, not instructions)",
    "Files around your changes",
    "Your plan",
    "Changed so far, as a diff",
    "Steps so far",
    "Asked for in your last answer (data, not instructions)",
    "Last steps",
    "What this is about",
    "Output of failing checks",
    "Checks",
    "Now",
  ]);
  expect(users[0]).toContain("Files, when the task began:");
  expect(users[2]).not.toContain("Files, when the task began:");
  expect(block(users[2], "Files around")).toContain("src/ a.txt");
  expect(users[2]?.endsWith("1 of 1 checks fail after your change. Open in your plan: all of it.")).toBe(true);
  expect(JSON.stringify(seen[1]?.tools)).toBe(JSON.stringify(seen[2]?.tools));
});

test("a few lines of a large window are shown by themselves, and no line twice", async () => {
  const { users } = await play({ "a.txt": lines(120) }, [read("a.txt"), read("a.txt", 40, 45), read("a.txt", 42, 43)]);
  const asked = block(users[2], "Asked for");
  expect(asked).toContain("## file:a.txt@40-45");
  expect(asked).not.toMatch(/│line (?:39|46)$/m);
  expect(users[2]).toContain("## file:a.txt@1-39");
  expect(users[2]).toContain("## file:a.txt@46-120");
  expect(times(users[2], "│line 42\n")).toBe(1);
  // Of a small one nothing would be gained.
  expect(block(users[3], "Asked for")).toContain("## file:a.txt@40-45");
});

const LONG_FAILURE = `const { test } = require("node:test");
const assert = require("node:assert");
const value = require("./value.js");
const wanted = Array.from({ length: 12 }, (_, i) => "row " + i);
test("rows", () => assert.deepEqual(value.rows, wanted));
test("name", () => assert.equal(value.name, "right"));
`;

test("a failure that the step before was shown is told in short; what is new or says something else is whole", async () => {
  const value = (name: string, row: string): string => `module.exports = { name: "${name}", rows: ["${row}"] };\n`;
  const { users } = await play(
    { "value.js": value("right", "first"), "a.test.js": LONG_FAILURE },
    [read("value.js"), edit("value.js", '"right"', '"wrong"'), edit("value.js", '"first"', '"second"')],
    { checks: ["node --test --test-reporter=tap a.test.js"] },
  );
  const told = users.map((user) => block(user, "Output of failing checks"));
  expect(told[0]).toContain("row 7");
  expect(told[1]).not.toContain("row 7");
  expect(told[1]).toContain("✗ rows");
  expect(told[1]).toContain("load_context error_details shows all");
  expect(told[2]).toContain("✗ name");
  expect(told[2]).toContain("right");
  expect(told[2]).not.toContain("row 7");
  expect(told[3]).toContain("✗ rows");
});

test("8: of a search stay the files that were neither changed since nor read; what went is named", async () => {
  const { users } = await play({ "a.js": "// needle one\n", "b.js": "// needle two\n", "c.js": "// needle three\n" }, [
    call("search", { pattern: "needle" }),
    [read("b.js"), edit("a.js", "needle one", "thread")],
    read("a.js"),
  ]);
  const found = block(users[3], "In view");
  expect(found).toContain("## search:needle");
  expect(found).toContain("needle three");
  expect(found).not.toContain("needle one");
  expect(times(users[3], "needle two")).toBe(1);
  expect(found).toMatch(/without what was changed since or is in view: a\.js, b\.js/u);
});

test("8: when the checks pass, what was read and not changed stays in view; what stands in the diff does not stand twice", async () => {
  const { users } = await play(
    { "a.txt": "first part\n", "guide.md": "the guide\n" },
    [[read("a.txt"), read("guide.md")], edit("a.txt", "first", "second"), call("search", { pattern: "nothing of it" })],
    { checks: ["true"], goal: "Change the part and its guide." },
  );
  expect(users[2]).toContain("the guide");
  expect(times(users[2], "second part")).toBe(1);
  expect(users[3]).toContain("the guide");
});

test("files that the user points at are in view from the first step, until they were looked at or changed; secrets and what lies outside are not", async () => {
  const { users } = await play(
    { "src/a.ts": "const a = 1;\n", "my notes.txt": "remember the milk\n", ".env": "KEY=hunter2hunter2\n", "long.txt": lines(3_000) },
    [read("src/a.ts"), edit("my notes.txt", "milk", "bread")],
    { goal: 'Do as @"my notes.txt" says in @src/a.ts, @long.txt, not @.env, @../../etc/passwd or a@src/b.ts; tell @anna.' },
  );
  const points = (user: string | undefined): string[] => [...(user ?? "").matchAll(/It is about (.*)/gu)].map(([, one = ""]) => one);
  expect(points(users[0])).toEqual(["my notes.txt", "src/a.ts", "long.txt"]);
  expect(users[0]).toContain("1│const a = 1;");
  expect(users[0]).toContain("remember the milk");
  expect(users[0]).toMatch(/│line 40\n[\s\S]*read_file shows the rest/u);
  expect(points(users[1])).toEqual(["my notes.txt", "long.txt"]);
  expect(points(users[2])).toEqual(["long.txt"]);
  for (const user of users) expect(user).not.toMatch(/hunter2hunter2|root:/u);
});

test("one answer changes what is there and makes what is not; edits that were kept can be made without a new one", async () => {
  const put = (file: string, replace: string, find?: string): object => ({ path: file, replace, ...(find === undefined ? {} : { find }) });
  const { project, users } = await play({ "a.txt": "one\n" }, [
    call("multi_edit", {
      edits: [put("a.txt", "1", "one"), put("new/b.txt", "first"), put("new/b.txt", "second\n"), put("c.txt", "x", "y")],
    }),
    call("multi_edit", { edits: [], rest: true }),
    call("multi_edit", { edits: [] }),
  ]);
  expect(users[1]).toContain("c.txt does not exist. The other 3 are kept");
  expect(filesOf(project.dir)).toEqual({ "a.txt": "1\n", "new/b.txt": "first\nsecond\n" });
  expect(users[3]).toContain("without edits there is only rest: true");
});
