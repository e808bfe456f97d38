/** `run-request.test.ts` goes on here with what takes longer. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { filesOf } from "../support/scripted-project.ts";
import { FILES, planOf, teamProject } from "../support/team-project.ts";
import { pieces, sylk } from "./run-request.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

const json = (text: string): Record<string, unknown> => JSON.parse(text.trim().split("\n").at(-1) ?? "") as Record<string, unknown>;

test("~ARC-028 ~ERR-049: nobody there, it rests at the plan with exit 4; answered from elsewhere it goes on to the merge, and says what shows that it is done; taken back, a receipt tells what was", async () => {
  const project = teamProject(planOf(pieces), pieces);
  const run = await sylk(project, "run", "add loud", "--check", "node --test", "-m", project.rules);
  expect(run.code).toBe(4);
  expect(run.out).toMatch(/needs you[\s\S]*Is this how it should be done\?\s+sylk answer \w+ …/);
  expect(filesOf(project.dir)).toEqual(FILES);
  expect((await sylk(project, "session", "list")).out).toMatch(/needs_you\s+0\/0.*add loud/);
  const question = async (): Promise<string> =>
    (json((await sylk(project, "questions", "--json")).out) as unknown as { id: string }[])[0]?.id ?? "";
  const shown = await sylk(project, "questions", await question());
  expect(shown.out).toContain("n1 loud  (A1)");
  const answered = await sylk(project, "answer", await question(), "approve");
  expect(answered.out).toContain("sylk session resume");
  const built = await sylk(project, "session", "resume");
  expect([built.code, filesOf(project.dir)]).toEqual([4, FILES]);
  expect(built.err).toMatch(/n1 1 test fail as they should[\s\S]*n1 passes[\s\S]*n1 merged[\s\S]*the whole passes \(node --test\)/);
  await sylk(project, "answer", await question(), "yes");
  const end = await sylk(project, "session", "resume");
  expect(end.code).toBe(0);
  expect(end.out).toMatch(
    /done: every assertion has its evidence[\s\S]*✓ A1 .*failed before and passes[\s\S]*changed: src\/loud.js[\s\S]*take it back: sylk session undo \w+/,
  );
  expect(Object.keys(filesOf(project.dir))).toContain("src/loud.js");
  const told = json((await sylk(project, "session", "show", "--json")).out);
  expect(told).toMatchObject({ status: "done", intent: { words: "add loud" }, work: [{ id: "n1", state: "merged" }] });
  // One piece by its own name; what has ended is told nothing more.
  expect((await sylk(project, "run", "/task n1 query")).out).toBe("n1 loud: merged\n");
  expect((await sylk(project, "run", "/task 1 fly")).err).toContain("a piece cannot be told to fly");
  expect((await sylk(project, "session", "pause", "--piece", "n1")).err).toContain("there is no piece n1 at work");
  expect((await sylk(project, "session", "tell", "last", "n1", "be brief")).err).toContain("there is no piece n1 at work");
  // A file that was changed since is the user's: nothing is taken back.
  const own = path.join(project.dir, "src/loud.js");
  const theirs = readFileSync(own, "utf8");
  writeFileSync(own, "mine\n");
  const kept = await sylk(project, "session", "undo");
  expect([kept.code, kept.out, readFileSync(own, "utf8")]).toEqual([
    1,
    expect.stringContaining("! nothing was taken back: src/loud.js changed since"),
    "mine\n",
  ]);
  writeFileSync(own, theirs);
  const undone = await sylk(project, "session", "undo");
  expect([undone.code, filesOf(project.dir)]).toEqual([0, FILES]);
  expect(undone.out).toMatch(
    /^taken back in your folder: src\/loud\.js, test\/loud\.test\.js\nthrown away: \d+ files and \d+ commits of its own trees; nothing of it was pushed\nno task of it goes on[^\n]*\nit called nothing outside that is known\nwhat was tried stays written: request\/req_\w+\n$/u,
  );
  expect((await sylk(project, "sessions")).out).toMatch(/\bundone\s+1\/1.*add loud/u);
  expect((await sylk(project, "run", "/sessions")).out).toMatch(/\bundone\s+1\/1/u);
  expect(json((await sylk(project, "session", "list", "--json")).out)).toMatchObject([{ status: "undone" }]);
  const after = await sylk(project, "session", "show");
  expect(after.out).toMatch(/^undone: what it changed was taken back/u);
  expect(after.out).not.toMatch(/take it back|changed: /u);
});

test("a pause rests it, a resumption goes on, a stop ends it for good", async () => {
  const project = teamProject(planOf(pieces), pieces);
  const { out } = await sylk(project, "run", "add loud", "--detach", "--approve", "auto", "--check", "node --test", "-m", project.rules);
  expect(out.trim()).toMatch(/^req_\w{26}$/);
  expect((await sylk(project, "session", "pause")).code).toBe(0);
  expect((await sylk(project, "session", "show")).out).toContain("paused");
  expect((await sylk(project, "session", "resume")).code).toBe(0);
  const again = await sylk(project, "run", "add loud", "--detach", "-m", project.rules);
  expect((await sylk(project, "session", "stop", again.out.trim())).code).toBe(0);
  const stopped = await sylk(project, "session", "resume", again.out.trim());
  expect([stopped.code, stopped.out.includes("cancelled")]).toEqual([1, true]);
  expect((await sylk(project, "session", "stop", again.out.trim())).err).toContain("has ended");
});

test("a session's events as lines and as one document, found by its words, forked with its plan, and looked on", async () => {
  const project = teamProject(planOf(pieces), pieces);
  await sylk(project, "run", "add loud", "--approve", "plan-only", "-m", project.rules);
  await sylk(project, "run", "something quiet", "--approve", "plan-only", "-m", project.rules, "--detach");
  const found = json((await sylk(project, "session", "search", "LOUD", "add", "--json")).out) as unknown as { id: string; words: string }[];
  expect(found.map(({ words }) => words)).toEqual(["add loud"]);
  const id = found[0]?.id ?? "";
  const logs = (await sylk(project, "session", "logs", id, "--json")).out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; stream: string; hash: string });
  expect(logs.map(({ type }) => type)).toEqual(
    expect.arrayContaining(["request.created", "task.created", "plan.drafted", "request.waits"]),
  );
  expect(logs.some(({ stream, type }) => stream.startsWith("request/") && !stream.endsWith(id) && type !== "")).toBe(false);
  const exported = json((await sylk(project, "session", "export", id)).out);
  expect(exported).toMatchObject({ format: "sylk-session", request: id, verified: true });
  expect((exported["events"] as typeof logs).map(({ hash }) => hash)).toEqual(logs.map(({ hash }) => hash));
  const forked = String(json((await sylk(project, "session", "fork", id, "--json")).out)["id"]);
  expect(json((await sylk(project, "session", "show", forked, "--json")).out)).toMatchObject({
    words: "add loud",
    plan: { version: 1, approved: false },
  });
  const attached = await sylk(project, "session", "attach", forked);
  expect([attached.code, attached.err]).toEqual([0, expect.stringContaining("nobody works on it now")]);
  const resumed = await sylk(project, "session", "resume", forked);
  expect(resumed.out).toContain("loud");
});
