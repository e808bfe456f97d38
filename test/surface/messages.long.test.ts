/** `messages.test.ts` goes on here with what takes longer. */
import { expect, test, vi } from "vitest";
import { planOf, teamProject } from "../support/team-project.ts";
import { pieces, sylk, json, call, asks } from "./messages.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

test("MSG-004: a question that nobody answered in time is told to the user as it happens", async () => {
  const answer = { ...(call("answer", { answer: "not found", sources: [], confidence: 0 }) as object), delay_ms: 600_000 };
  const project = teamProject(planOf(pieces), pieces, {}, [asks(1, "librarian"), { when: { role: "librarian" }, answer }]);
  project.env["SYLK_TEAM_CONSULT_TIMEOUT"] = "1ms";
  const told = await sylk(project, "plan", "add loud", "-m", project.rules);
  expect(told.code).toBe(0);
  expect(told.err).toContain("librarian did not answer architect in time: tabs or spaces?");
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
