/** What a user sees of roles that ask each other, and commands that no model reads. */
import { expect, test, vi } from "vitest";
import { runSylk } from "../support/run-sylk.ts";
import { planOf, simplePiece, teamProject, type TeamProject } from "../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

const pieces = [simplePiece("loud")];
const sylk = ({ dir, env }: TeamProject, ...args: string[]) => runSylk(dir, env, args, 300_000);
const json = <T>(text: string): T => JSON.parse(text.trim().split("\n").at(-1) ?? "") as T;
const call = (name: string, input: unknown): unknown => ({ text: "as said", tool_calls: [{ name, input }] });
const asks = (step: number, target: string): unknown => ({
  when: { role: "architect", step },
  answer: call("consult", { target, question: "tabs or spaces?" }),
});

test("MSG-004: a question that nobody answered in time is told to the user as it happens", async () => {
  const answer = { ...(call("answer", { answer: "not found", sources: [], confidence: 0 }) as object), delay_ms: 600_000 };
  const project = teamProject(planOf(pieces), pieces, {}, [asks(1, "librarian"), { when: { role: "librarian" }, answer }]);
  project.env["SYLK_TEAM_CONSULT_TIMEOUT"] = "1ms";
  const told = await sylk(project, "plan", "add loud", "-m", project.rules);
  expect(told.code).toBe(0);
  expect(told.err).toContain("librarian did not answer architect in time: tabs or spaces?");
});

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

test("GUI-010: a command with a slash is carried out before any model could read it; one that is only near to a command is told and not carried out", async () => {
  const project = teamProject(planOf(pieces), pieces);
  await sylk(project, "plan", "add loud", "-m", project.rules);
  // Whoever would be asked now says something that nobody could use.
  const silent = ["-m", "scripted/nowhere.yaml"];
  const status = await sylk(project, "run", "/status", ...silent);
  expect([status.code, status.out]).toEqual([0, expect.stringMatching(/add loud[\s\S]*n1 loud {2}\(A1\)/)]);
  const near = await sylk(project, "run", "/statsu", ...silent);
  expect(near.code).toBeGreaterThan(0);
  expect(near.err).toContain("did you mean /status?");
  const stop = await sylk(project, "run", "/stopp", ...silent);
  expect(stop.err).toContain("did you mean /stop?");
  const [request, ...more] = json<{ status: string }[]>((await sylk(project, "session", "list", "--json")).out);
  expect([request?.status, more]).toEqual(["planned", []]);
  expect((await sylk(project, "run", "/stop", ...silent)).code).toBe(0);
  expect(json<{ status: string }[]>((await sylk(project, "session", "list", "--json")).out)[0]?.status).toBe("cancelled");
  // A sentence is read by the Guide, not matched.
  expect(json<unknown[]>((await sylk(project, "task", "list", "--json")).out)).toHaveLength(1);
});
