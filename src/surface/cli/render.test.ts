import { expect, test } from "vitest";
import type { Question } from "../../protocol/index.ts";
import { createOutput } from "./output.ts";
import { renderAsk } from "./render-question.ts";
import { renderLine, renderList } from "./render-task.ts";
import { renderTrust } from "./render-trust.ts";

const out = createOutput({ json: false, quiet: true, color: false });

test("a question about a command in the sandbox says that a yes does not lift it", () => {
  const shown = (sandboxed: boolean): string => {
    const ask = {
      kind: "permission" as const,
      role: "engineer",
      act: "a",
      line: "rm -rf ~/x",
      network: [],
      reason: "run rm",
      offers: [[]],
    };
    return renderAsk({ ask: { ...ask, sandboxed } } as unknown as Question, out).join("\n");
  };
  expect(shown(true)).toContain("also with a yes it stays in the sandbox");
  expect(shown(false)).not.toContain("sandbox");
});

test("trust tells a refusal of some things from a refusal of all", () => {
  const thing = (name: string, standing: "trusted" | "refused") => ({ kind: "skill" as const, name, hash: "h", standing });
  const shown = (...things: ReturnType<typeof thing>[]): string =>
    renderTrust({ project: "/p", file: "/f", state: "refused", things, removed: [], unusable: [] }, out);
  expect(shown(thing("a", "trusted"), thing("b", "refused"))).toContain("/p: trusted except 1 skill, not used as you said");
  expect(shown(thing("b", "refused"))).toContain("/p: not trusted, as you said");
});

test("5 1: a list tells what is verified, what only ended, and what a person accepted", () => {
  const task = { id: "task_01", goal: "g", status: "complete", step: 2, step_limit: 15, created_at: 0, model: "m", cost_usd: 0 };
  const listed = (more: object): string => renderList([{ ...task, ...more }] as unknown as Parameters<typeof renderList>[0], 0, out);
  expect(listed({ verified: true, why: "done" })).toContain("complete, verified");
  expect(listed({ verified: false, why: "done" })).toContain("finished, not verified");
  expect(listed({ verified: false, why: "accepted" })).toContain("accepted by you, not verified");
});

test("where several roles worked, a list tells who; where one did, it takes no room", () => {
  const task = {
    id: "task_01",
    goal: "g",
    status: "complete",
    verified: true,
    step: 2,
    step_limit: 15,
    created_at: 0,
    model: "m",
    cost_usd: 0,
  };
  const listed = (...roles: string[]): string =>
    renderList(roles.map((role) => ({ ...task, role })) as unknown as Parameters<typeof renderList>[0], 0, out);
  expect(listed("tester", "engineer")).toMatch(/  tester {4}step .*\n.*  engineer {2}step /u);
  expect(listed("engineer", "engineer")).not.toContain("engineer");
});

test("that another task works in the same folder is told whole, with what helps", () => {
  const summary = `another task works in this folder now: ${"a".repeat(60)}; with -w each has a work tree of its own`;
  const shown = renderLine(
    { type: "action", id: "t", step: 0, action: "project", target: "t2", ok: false, outcome: "folder_shared", summary },
    out,
  );
  expect(shown.join("\n").replaceAll(/\s+/gu, " ")).toContain(summary);
});

test("what a model says stands below its step, in a few lines", () => {
  const step = {
    type: "step",
    id: "t",
    step: 1,
    phase: "change",
    tokens: 9,
    usage: { input: 0, output: 0, cached: 0, cost_usd: null },
  } as const;
  const lines = renderLine({ ...step, text: "First this.\nThen that. ".repeat(80) }, out)
    .join("\n")
    .split("\n");
  expect(lines[0]).toContain("step 1");
  expect(lines[1]).toContain("First this. Then that.");
  expect(lines.length).toBeLessThanOrEqual(5);
});
