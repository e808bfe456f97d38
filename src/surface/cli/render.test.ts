import { expect, test } from "vitest";
import type { Question } from "../../protocol/index.ts";
import { createOutput } from "./output.ts";
import { renderAsk } from "./render-question.ts";
import { renderList } from "./render-task.ts";
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
