/** What the person did not say, as the plan shows it; taken out by one word; what they said later, as `session show` tells it. */
import { expect, test, vi } from "vitest";
import { runSylk } from "../support/run-sylk.ts";
import { planOf, simplePiece, teamProject, type TeamProject } from "../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

const sylk = ({ dir, env }: TeamProject, ...args: string[]) => runSylk(dir, env, args, 300_000);
const json = (text: string): Record<string, unknown> => JSON.parse(text.trim().split("\n").at(-1) ?? "") as Record<string, unknown>;

test("INT-046: what a plan infers is marked in it, what does not stand is told with the reason, and one word takes an inferred one out for good", async () => {
  const pieces = [simplePiece("loud")];
  const plan = planOf(pieces);
  const project = teamProject(
    {
      ...plan,
      assertions: [
        ...plan.assertions,
        { id: "A2", text: "it is written down", from: "inferred", level: "required", beside: "unrelated", shown_by: "inspection" },
        {
          id: "A3",
          text: "it asks first",
          from: "inferred",
          level: "required",
          beside: "conflict",
          why: "never ask",
          shown_by: "inspection",
        },
        { id: "A4", text: "it is translated", from: "inferred", level: "recommended", shown_by: "inspection" },
      ],
      nodes: plan.nodes.map((node) => ({ ...node, assertions: ["A1", "A2", "A3", "A4"] })),
    },
    pieces,
  );
  await sylk(project, "run", "add loud", "--team", "--constraint", "never ask", "--check", "node --test", "-m", project.rules);
  const question = async (): Promise<string> =>
    (json((await sylk(project, "questions", "--json")).out) as unknown as { id: string }[])[0]?.id ?? "";
  const first = await sylk(project, "questions", await question());
  expect(first.out).toContain("A2: it is written down (shown by inspection) [not said by you; required]");
  expect(first.out).toContain("it asks first (required): goes against what you said: never ask");
  expect(first.out).toMatch(/Does this belong to it\?[^\n]*\n[^\n]*- it is translated \(recommended\)/);
  expect(first.out).toMatch(/remove-A2/);
  expect(first.out).not.toMatch(/remove-A1|remove-A3/);
  await sylk(project, "answer", await question(), "remove-A2");
  await sylk(project, "session", "resume");
  const second = await sylk(project, "questions", await question());
  expect(second.out).not.toContain("A2:");
  expect(second.out).toContain("it is written down (required): was taken out by you");
  await sylk(project, "answer", await question(), "edit", "louder, please");
  await sylk(project, "session", "resume");
  // The Architect hands in the same plan again: what was taken out stays out.
  const third = await sylk(project, "questions", await question());
  expect(third.out).toContain("it is written down (required): was taken out by you");
  const shown = await sylk(project, "session", "show");
  expect(shown.out).toContain("limit: Not wanted: it is written down");
  expect(shown.out).toContain("you said later (plan): louder, please");
  const told = json((await sylk(project, "session", "show", "--json")).out);
  expect(told).toMatchObject({ intent: { revision: 3, constraints: ["never ask", "Not wanted: it is written down"] } });
  const [architect] = (json((await sylk(project, "task", "list", "--json")).out) as unknown as { id: string; role: string }[]).filter(
    ({ role }) => role === "architect",
  );
  const context = await sylk(project, "task", "context", architect?.id ?? "");
  expect(context.out).toContain("Not wanted: it is written down");
});
