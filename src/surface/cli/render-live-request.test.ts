import { expect, test } from "vitest";
import type { Result } from "../../protocol/api/index.ts";
import { liveLines } from "./render-live-request.ts";
import { createOutput, roomOf } from "./output.ts";

type Detail = Result<"request.show">;
type Standing = Parameters<typeof liveLines>[0];
type Piece = Detail["work"][number];

const out = createOutput({ json: false, quiet: true, color: false });
const NOW = 1_000_000;

const piece = (id: string, title: string, more: Partial<Piece>): Piece => ({
  id,
  title,
  assertions: [],
  after: [],
  files: [],
  state: "waiting",
  attempt: 1,
  why: "",
  tasks: [],
  cost_usd: 0,
  ...more,
});

const works = (task: string, since: number, does = ""): Partial<Piece> => ({
  state: "green",
  since: NOW - since,
  doing: { task, role: "engineer", step: 3, status: "running", does },
});

const standing = (more: Partial<Detail>): Standing => ({
  detail: {
    status: "building",
    pieces: 5,
    merged: 1,
    cost_usd: 0.0512,
    created_at: NOW - 75_000,
    usage: { input: 40_000, output: 1_234, calls: 31 },
    work: [
      piece("n1", "the table of currencies", { state: "merged", cost_usd: 0.02 }),
      piece("n2", "rounding by currency", { ...works("t2", 12_000), cost_usd: 0.01, attempt: 2 }),
      piece("n3", "parsing of amounts", works("t3", 4_000, "edit_file")),
      piece("n4", "the report prints three more currencies", { after: ["n2", "n3"] }),
      piece("n5", "documents", { after: ["n4"] }),
    ],
    questions: [],
    ...more,
  } as unknown as Detail,
  doing: new Map([["t2", { what: "$ npm test -- rounding", at: NOW - 8_000 }]]),
  now: NOW,
  sign: "sylk ",
});

const QUESTIONS = [
  { id: `question_${"0".repeat(18)}aaaaaaaa`, text: "Is this how it should be done?", answers: ["approve", "edit", "reject"] },
  { id: `question_${"0".repeat(18)}bbbbbbbb`, text: "Which format?", answers: [] },
];

test("a request as a tree: what each piece does now, for how long, what it cost, and what waits for the user", () => {
  expect(liveLines(standing({ questions: QUESTIONS }), roomOf(80, 40), out)).toEqual([
    "building · 1/5 merged · 41.2k tokens · 31 calls · $0.05 · 1 m 15 s",
    "  ✓ n1 the table of currencies  merged  $0.02",
    "  ▸ n2 rounding by currency  building  12 s  attempt 2  $0.01",
    "    engineer, step 3: $ npm test -- rounding 8 s",
    "  ▸ n3 parsing of amounts  building  4 s",
    "    engineer, step 3: edit_file",
    "    · n4 the report prints three more currencies  waiting for n2, n3",
    "      · n5 documents  waiting for n4",
    "waiting for you (2)",
    "  ? Is this how it should be done?  sylk answer aaaaaaaa approve|edit|reject",
    "  ? Which format?  sylk answer bbbbbbbb …",
  ]);
});

test("where it is wide enough what a piece does stands beside it", () => {
  expect(liveLines(standing({}), roomOf(120, 40), out)[2]).toBe(
    "  ▸ n2 rounding by currency  building  12 s  attempt 2  $0.01  engineer, step 3: $ npm test -- rounding 8 s",
  );
});

test.each([
  [60, 40],
  [60, 12],
  [40, 8],
  [10, 6],
  [10, 40],
])("%i columns and %i rows: it fits, and what waits for the user is never left out", (columns, rows) => {
  const room = roomOf(columns, rows);
  const lines = liveLines(standing({ questions: QUESTIONS.slice(0, 1) }), room, out);
  expect(lines.length).toBeLessThanOrEqual(room.rows);
  expect(lines.join("\n")).toContain("waiting for you (1)");
});

test("in sixty columns nothing is cut by the terminal", () => {
  const lines = liveLines(standing({ questions: QUESTIONS }), roomOf(60, 40), out);
  expect(lines.filter((line) => line.length > 60)).toEqual([]);
});

test("where there is little room those who are not at work are counted", () => {
  expect(liveLines(standing({}), roomOf(60, 12), out)).toEqual([
    "building · 1/5 merged · 41.2k tokens · $0.05 · 1 m 15 s",
    "  ▸ n2 rounding by curren…  building  12 s  attempt 2  $0.01",
    "    engineer, step 3: $ npm test -- rounding 8 s",
    "  ▸ n3 parsing of amounts  building  4 s",
    "    engineer, step 3: edit_file",
    "  … 1 merged, 2 waiting",
  ]);
});

test("words of others speak to no terminal", () => {
  const shown: string[] = [];
  const door = createOutput(
    { json: false, quiet: false, color: false },
    {
      interactive: true,
      draws: true,
      columns: 80,
      result: () => undefined,
      note: () => undefined,
      progress: () => undefined,
      region: (draw) => shown.push(...(draw?.(roomOf(80, 40)) ?? [])),
      ring: () => undefined,
      notify: () => undefined,
      title: () => undefined,
      paged: () => false,
    },
  );
  const odd = standing({ work: [piece("n1", "a\u001b]0;PWNED\u0007b\nc", works("t1", 0))] });
  door.region((room) => liveLines(odd, room, door));
  expect(shown).toContain("  ▸ n1 a␛]0;PWNED␇b c  building  0 s");
});
