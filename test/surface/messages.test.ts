/** What a user sees of roles that ask each other, and commands that no model reads. */
import { expect, test, vi } from "vitest";
import { planOf, teamProject } from "../support/team-project.ts";
import { pieces, sylk, json, call, asks } from "./messages.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

test("AGT-037: what was checked stands with the question that the user reads", async () => {
  const knows = (role: string, text: string): unknown => ({
    when: { role },
    answer: call("answer", { answer: text, sources: ["src/trim.js:1"], confidence: 0.9 }),
  });
  const project = teamProject(planOf(pieces), pieces, {}, [
    asks(1, "librarian"),
    asks(2, "archivalist"),
    { when: { role: "architect", step: 3 }, answer: call("ask_user", { question: "Tabs or spaces?", preference: true }) },
    knows("librarian", "both are used"),
    knows("archivalist", "nobody decided"),
  ]);
  const told = await sylk(project, "run", "add loud", "--team", "-m", project.rules);
  expect(told.code).toBe(4);
  const [question] = json<{ id: string }[]>((await sylk(project, "questions", "--json")).out);
  const shown = await sylk(project, "questions", question?.id ?? "");
  expect(shown.out).toMatch(
    /Tabs or spaces\?\n.*\n {2}│ Checked before asking you:\n {2}│ - librarian: both are used\n {2}│ - archivalist: nobody decided/,
  );
});
