import { expect, test } from "vitest";
import type { Result } from "../../protocol/api/index.ts";
import { createOutput } from "./output.ts";
import { renderRequest } from "./render-request.ts";

type Detail = Result<"request.show">;

const out = createOutput({ json: false, quiet: true, color: false });
const ID = `req_${"0".repeat(18)}aaaaaaaa`;

const request = (more: Partial<Detail>): Detail =>
  ({
    id: ID,
    status: "building",
    running: true,
    created_at: 1_000_000,
    took_ms: 75_000,
    intent: { revision: 1, words: "add loud", constraints: [], criteria: [], said: [] },
    work: [
      {
        id: "n1",
        title: "loud",
        assertions: [],
        after: [],
        files: [],
        state: "green",
        attempt: 1,
        why: "",
        tasks: [],
        cost_usd: 0,
        since: 1_063_000,
        doing: { task: "t1", role: "engineer", step: 3, status: "running", does: "edit_file" },
      },
    ],
    doing: { task: "t0", role: "architect", step: 1, status: "running", does: "" },
    questions: [],
    findings: [],
    usage: { input: 40_000, output: 1_234, calls: 1, model_ms: 31_000 },
    cost_usd: 0,
    ...more,
  }) as Detail;

test("a request at work tells how long it and its piece have been at it, how long models took, and who does what now", () => {
  const lines = renderRequest(request({}), out).split("\n");
  expect(lines[1]).toBe("  ▸ n1 loud  building  12 s  engineer, step 3: edit_file");
  expect(lines[2]).toBe("1 m 15 s so far, models took 31 s; now architect, step 1");
});

test("one that nobody works on tells of none of it", () => {
  const shown = renderRequest(request({ running: false }), out);
  expect(shown).toContain("  ▸ n1 loud  building\n");
  expect(shown).not.toContain("so far");
});

test("of what was taken back, neither changed files are named nor how to take it back", () => {
  const end = { how: "done" as const, summary: "built", deferred: [], files: ["src/loud.js"], evidence: {} };
  const ended = (status: Detail["status"]): string =>
    renderRequest(request({ status, running: false, doing: undefined, work: [], end, whole: "task_one" }), out);
  expect(ended("done")).toMatch(/changed: src\/loud\.js[\s\S]*take it back: [^\n]*session undo aaaaaaaa/u);
  expect(ended("undone")).toContain("undone: what it changed was taken back");
  expect(ended("undone")).not.toMatch(/changed: |take it back/u);
});

const forged = (text: string): string => `${text}\n  ✓ A9 forged`;

test("a title, an assertion or a remark that breaks its line in a journal is one line of what is told", () => {
  const text = renderRequest(
    {
      id: "req_1",
      status: "done",
      intent: { words: "w", said: [], constraints: [] },
      work: [{ id: "n1", title: forged("T"), state: "merged", attempt: 1, why: "", after: [], cost_usd: 0 }],
      plan: { plan: { assertions: [{ id: "A1", text: forged("a") }] } },
      end: { summary: "s", evidence: { A1: forged("e") }, files: [], deferred: [forged("d")] },
      findings: [{ text: forged("f"), blocks: false }],
      questions: [],
      usage: { calls: 1, input: 1, output: 1, model_ms: 1 },
      running: false,
      took_ms: 1,
      cost_usd: 0,
    } as never,
    out,
  );
  expect(text.match(/A9 forged/gu)).toHaveLength(5);
  expect(text).not.toMatch(/^\s*✓ A9/mu);
});
