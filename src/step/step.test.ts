import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import type { SylkError } from "../kernel/index.ts";
import { countTokens } from "../model/index.ts";
import { definitionsIn } from "../code/index.ts";
import { z } from "zod";
import { defineAction } from "./actions/action.ts";
import { createRegistry, toolSpecOf } from "./actions/registry.ts";
import { fitSection } from "./context/fragment.ts";
import { fitLines, headAndTail } from "./context/fit-lines.ts";
import { checkFrame, renderFrame } from "./context/frame.ts";
import { excerpt, focusOf } from "./context/excerpt.ts";
import { outline } from "./context/outline.ts";
import { projectOverview } from "./context/overview.ts";
import { detectLoop } from "./loop/detect-loop.ts";
import { firstLimit, nextLimit } from "./loop/step-budget.ts";
import { PROFILES, type Profile } from "./profiles.ts";
import { startProblems, targetState } from "./problems.ts";
import type { StepRecord } from "./task-state.ts";
import { moveTo, systemPrompt, taskTypeOf } from "./task-type.ts";
import { shippedRole } from "../../test/support/shipped-roles.ts";
import type { CheckResult } from "./task-facts.ts";
import type { Payload } from "../protocol/events/index.ts";

const minimal = PROFILES["minimal"] as Profile;
/** Those a user may start; what a request starts needs actions of higher floors. */
const TYPES = ["discover", "fix_bug", "fix_violation", "implement_feature", "refactor", "review", "write_tests"];
const ABLE = { actions: [], consults: [], capabilities: ["file_read", "file_write", "execute"] as const };
const NOWHERE = { projectDir: "/nowhere", trusts: () => false };

test("CTX-009: the seven task types are data and load", () => {
  expect(readdirSync("task-types")).toEqual(expect.arrayContaining(TYPES));
  for (const name of TYPES) expect(taskTypeOf({ type: name, checks: [] }, NOWHERE).name).toBe(name);
});

test.each(TYPES)(
  "22 CTX-018 CTX-010: prompts and actions of %s stay within 1,000 tokens together and its actions within 800 in every phase",
  (name) => {
    const type = taskTypeOf({ type: name, checks: [] }, NOWHERE);
    for (const [phase, prompt] of Object.entries(type.prompts)) {
      expect(countTokens(prompt)).toBeLessThanOrEqual(minimal.system);
      const tools = createRegistry().allowed({ type, phase, role: ABLE }).map(toolSpecOf);
      const tokens = tools.reduce(
        (sum, tool) => sum + 8 + countTokens(tool.name) + countTokens(tool.description) + countTokens(JSON.stringify(tool.inputSchema)),
        0,
      );
      expect(tokens).toBeLessThanOrEqual(minimal.actions);
      expect(countTokens(systemPrompt(type, phase, shippedRole("engineer"))) + tokens).toBeLessThanOrEqual(1_000);
    }
  },
);

test.each(["review", "discover"])("CTX-009: rights live in code: %s never gets an action that changes or runs anything", (name) => {
  const type = {
    ...taskTypeOf({ type: name, checks: [] }, NOWHERE),
    phases: { look: { actions: ["read", "write", "run", "end"], next: [] } },
  };
  // Neither what its data lists nor what another floor offers it.
  const planted = (effect: "files" | "process" | "record") =>
    defineAction({
      name: `planted_${effect}`,
      summary: "x",
      effect,
      schema: z.object({}),
      target: () => "",
      offeredTo: () => true,
      execute: () => Promise.resolve({ ok: true, outcome: "done", summary: "" }),
    });
  const registry = createRegistry([planted("files"), planted("process"), planted("record")]);
  const allowed = registry.allowed({ type, phase: "look", role: ABLE, task: task({}) });
  expect(allowed.map(({ effect }) => effect)).not.toContain("files");
  expect(allowed.map(({ effect }) => effect)).not.toContain("process");
  expect(allowed.map(({ name: one }) => one)).toContain("planted_record");
  // A type that writes gives nothing to a role that may not.
  const writing = taskTypeOf({ type: "implement_feature", checks: [] }, NOWHERE);
  const reader = registry.allowed({
    type: writing,
    phase: "explore",
    role: { actions: [], consults: [], capabilities: ["file_read"] },
    task: task({}),
  });
  expect(new Set(reader.map(({ effect }) => effect))).toEqual(new Set(["none", "memory", "record"]));
});

test("what a model sees of an action loses keywords of the schema, never an argument", () => {
  const schema = z.object({
    description: z.string().min(3).describe("said twice"),
    minimum: z.int().min(1).optional(),
    of: z.object({ maximum: z.string().max(9) }),
  });
  expect(toolSpecOf({ name: "n", summary: "s", schema }).inputSchema).toEqual({
    type: "object",
    properties: {
      description: { type: "string" },
      minimum: { type: "integer" },
      of: { type: "object", properties: { maximum: { type: "string" } }, required: ["maximum"] },
    },
    required: ["description", "of"],
  });
});

test("CTX-008: an illegal change of phase is an error", () => {
  const type = taskTypeOf({ type: "implement_feature", checks: [] }, NOWHERE);
  expect(moveTo(type, "explore", "change")).toBe("change");
  expect(() => moveTo(type, "explore", "finish")).toThrow(expect.objectContaining({ code: "TASK_ILLEGAL_TRANSITION" }));
});

const task = (more: Partial<Payload<"task.created">>): Payload<"task.created"> => ({
  id: "t",
  session: "s",
  goal: "g",
  type: "implement_feature",
  role: "engineer",
  criteria: [],
  constraints: [],
  checks: [],
  rules: [],
  inputs: {},
  overview: "",
  model: "m",
  profile: "minimal",
  max_steps: null,
  place: { kind: "project", folder: "." },
  phase: "explore",
  ...more,
});

test("CTX-014: pinned text that does not fit is refused when the task is created, with the way out", () => {
  const long = task({ goal: "word ".repeat(10_000) });
  const error = (() => {
    try {
      checkFrame(long, minimal);
      return undefined;
    } catch (caught) {
      return caught as SylkError;
    }
  })();
  expect(error).toMatchObject({ code: "TASK_TOO_LARGE", tier: "user_fixable", fix: expect.stringContaining("--profile") as string });
  expect(() => checkFrame(task({ goal: "word ".repeat(1_000) }), minimal)).not.toThrow();
});

test("CTX-006: the frame holds the person's words verbatim and nothing that changes from step to step", () => {
  const frame = renderFrame(
    task({ goal: "Ünïcode  goal\nwith two lines", criteria: ["a"], constraints: ["b"], rules: [{ path: "AGENTS.md", text: "Be kind." }] }),
  );
  for (const part of ["Ünïcode  goal\nwith two lines", "- a", "- b", "Be kind."]) expect(frame).toContain(part);
  expect(frame).not.toMatch(/\d{4}-\d\d-\d\d|step \d/i);
});

test("CTX-014: cutting takes the least worth first, records every cut, and ends within the room", () => {
  const fragment = (item: string, worth: number) => ({
    item,
    worth,
    text: `${item} `.repeat(400),
    variants: [
      { rule: "half", text: () => `${item} `.repeat(200) },
      { rule: "name", text: () => item },
    ],
  });
  const fitted = fitSection("s", [fragment("new", 9), fragment("old", 1)], 650);
  expect(fitted.tokens).toBeLessThanOrEqual(650);
  expect(fitted.cuts[0]).toMatchObject({ item: "old", rule: "half" });
  for (const cut of fitted.cuts) expect(cut.after).toBeLessThan(cut.before);
});

test("CTX-014: a long text keeps its first and last lines and says how many are left out", () => {
  const text = Array.from({ length: 5_000 }, (_v, i) => `line ${i}`).join("\n");
  const short = headAndTail(text, 200);
  expect(countTokens(short)).toBeLessThanOrEqual(200);
  expect(short).toMatch(/^line 0\n[\s\S]*… \d+ lines omitted …[\s\S]*line 4999$/);
  expect(fitLines(text.split("\n"), 100)).toBeGreaterThan(10);
});

test("an outline names what is there with its line numbers", () => {
  const code = [
    "1│import x from 'y';",
    "2│export class Cart {",
    "3│  total() {",
    "4│    return 1;",
    "5│  }",
    "6│}",
    "7│export function price(a: number): number {",
    "8│  return a;",
    "9│}",
  ].join("\n");
  const short = outline(code, 100);
  for (const part of ["2│export class Cart", "7│export function price"]) expect(short).toContain(part);
  expect(short).not.toContain("return 1");
});

test("12: an outline knows methods indented with tabs, with modifiers and default arguments, and no calls", () => {
  const code = [
    "export class Box {",
    "\tstatic async open(name = defaultName(), { size }: Options = {}): Promise<Box> {",
    "\t\tif (size > 3) {",
    "\t\t\tawait grow(size);",
    "\t\tfor (const one of all) {",
    "\tprivate readonly #close(): void {",
    "\tget size(): number {",
    "def area(w, h=2):",
    "export const area = (w: number) => w;",
  ];
  const short = outline(code.map((line, i) => `${i + 1}│${line}`).join("\n"), 400);
  expect(short.match(/^\d+/gm)).toEqual(["1", "2", "6", "7", "8", "9"]);
});

test("the overview of any project fits its room", () => {
  const many = Array.from({ length: 20_000 }, (_v, i) => `packages/p${i % 40}/src/deep/er/file-${i}.ts`);
  expect(countTokens(projectOverview(many, 600))).toBeLessThanOrEqual(600);
  expect(projectOverview(["a.ts", "src/b.ts", "src/c/d.ts"], 600)).toBe("a.ts\nsrc/ b.ts\n  c/ d.ts");
});

test("CTX-024: the budget grows with progress up to the ceiling; a fixed number stays fixed", () => {
  expect(firstLimit(null)).toBe(15);
  expect(nextLimit({ limit: 15, step: 10, progress: true, maxSteps: null })).toBe(20);
  expect(nextLimit({ limit: 15, step: 10, progress: false, maxSteps: null })).toBe(15);
  expect(nextLimit({ limit: 48, step: 48, progress: true, maxSteps: null })).toBe(50);
  expect(nextLimit({ limit: 7, step: 7, progress: true, maxSteps: 7 })).toBe(7);
});

const step = (
  n: number,
  more: Partial<StepRecord> & { sig?: string; ok?: boolean; outcome?: string; target?: string } = {},
): StepRecord => ({
  step: n,
  phase: "change",
  invalid: undefined,
  progress: false,
  failing: undefined,
  tokens: 1,
  actions: [
    {
      action: "edit_file",
      target: more.target ?? `f${n}`,
      ok: more.ok ?? true,
      outcome: more.outcome ?? "changed",
      summary: "",
      signature: more.sig ?? `s${n}`,
    },
  ],
  ...("progress" in more ? { progress: more.progress } : {}),
  ...("failing" in more ? { failing: more.failing } : {}),
});

test("CTX-025: the four kinds of loop, each with its evidence; none while work gets on", () => {
  const same = [1, 2, 3].map((n) => step(n, { sig: "x", ok: false, outcome: "no_match", target: "f" }));
  expect(detectLoop(same)).toMatchObject({
    kind: "same_action_fails",
    evidence: expect.arrayContaining([expect.stringContaining("step 1")]) as string[],
  });
  const outcome = [1, 2, 3, 4].map((n) => step(n, { failing: ["boom"] }));
  expect(detectLoop(outcome)?.kind).toBe("same_outcome");
  const cycle = [1, 2, 3, 4].map((n) => step(n, { failing: [n % 2 === 0 ? "a" : "b"] }));
  expect(detectLoop(cycle)?.kind).toBe("error_cycle");
  expect(detectLoop([step(1, { progress: true }), step(2), step(3), step(4)])?.kind).toBe("no_progress");
  expect(detectLoop([1, 2, 3, 4, 5, 6].map((n) => step(n, { progress: n % 2 === 0 })))).toBeUndefined();
});

test("CTX-014: code is cut at its definitions: the one an error names stays whole, the others keep their first line", async () => {
  const code = [
    "import { a } from './a.ts';",
    "",
    ...Array.from({ length: 12 }, (_v, i) => [
      `export function part${i}(input: string): string {`,
      ...Array.from({ length: 8 }, (_w, n) => `  const value_${n} = compute(input, ${i * 100 + n});`),
      "  return value_7;",
      "}",
      "",
    ]).flat(),
  ];
  const numbered = code.map((line, i) => `${String(i + 1).padStart(3)}│${line}`).join("\n");
  const definitions = (await definitionsIn("src/parts.ts", code.join("\n"))) ?? [];
  expect(definitions).toHaveLength(12);
  const focus = focusOf({ path: "src/parts.ts", from: 1, to: code.length }, numbered, {
    errors: "Error: bad\n    at part5 (src/parts.ts:66:3)\n    at other.ts:7",
    goal: "Look at part9() too, not at other things",
  });
  const short = excerpt(numbered, definitions, focus, 700) as string;
  expect(countTokens(short)).toBeLessThanOrEqual(700);
  for (let i = 0; i < 12; i += 1) expect(short).toContain(`function part${i}(`);
  for (const [i, whole] of [
    [5, true],
    [9, true],
    [3, false],
  ] as const)
    expect(short.includes(`compute(input, ${i * 100 + 7})`)).toBe(whole);
  expect(short).toMatch(/… \d+ lines omitted …/);
});

const reported = (lines: number[], more: Partial<CheckResult> = {}): CheckResult[] => [
  {
    name: "lint",
    command: "lint",
    passed: lines.length === 0,
    exit: 1,
    summary: "",
    signature: "s",
    problems: lines.map((line) => ({ path: "a.js", line, severity: "error" as const, rule: "no-console", message: "no console" })),
    ...more,
  },
];

test("CTX-011: equal problems are told apart by their place: the named one is gone or there, whichever other was mended", () => {
  const start = { problems: startProblems(reported([2, 6])), total: 2 };
  const goal = "no-console in a.js line 6";
  expect(targetState(goal, start, reported([6]))).toMatchObject({ kind: "there", target: { id: "V2" } });
  expect(targetState(goal, start, reported([2]))).toMatchObject({ kind: "gone", fresh: [] });
  expect(targetState("no-console in a.js line 2", start, reported([9]))).toMatchObject({ kind: "gone", fresh: [] });
  expect(targetState(goal, start, reported([2, 20, 30]))).toMatchObject({ kind: "there" });
});

test("CTX-011: of a list too long to keep, what slides into its kept part is not called new as long as there are fewer", () => {
  const kept = (from: number): number[] => Array.from({ length: 100 }, (_v, i) => from + i * 3);
  const named = (from: number, count: number): CheckResult[] =>
    reported(kept(from), {
      problem_count: count,
      problems: kept(from).map((line) => ({ path: "a.js", line, severity: "error", rule: `r${line}`, message: "m" })),
    });
  const start = { problems: startProblems(named(1, 140)), total: 140 };
  expect(targetState("rule r1", start, named(4, 139))).toMatchObject({ kind: "gone", fresh: [] });
  expect(targetState("rule r1", start, named(4, 141))).toMatchObject({ kind: "gone", fresh: [{ id: "N1" }] });
});
