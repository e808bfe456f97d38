/** `failed-attempts.test.ts` goes on here with what takes longer. */
import { expect, test, vi } from "vitest";
import { script, scriptedProject } from "../support/scripted-project.ts";
import { planOf, simplePiece, teamProject } from "../support/team-project.ts";
import { FILES, complete } from "./failed-attempts.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

test("EVI-020: a failure is a note the first time, similar from the second on, recurring from the fifth on; repeated in one request it stops the work at once, and every alert says what, how often, what helped and what to do", async () => {
  const wrong = (body: string) => [
    { name: "write_file", input: { path: "src/loud.js", content: `export const loud = (text) => ${body};\n` } },
  ];
  const step = (at: number, body: string) => ({
    when: { role: "engineer", step: at },
    answer: { text: "shouting by hand", tool_calls: wrong(body) },
  });
  const pieces = [simplePiece("loud")];
  const project = teamProject(planOf(pieces), pieces, {}, [
    step(1, "text.big()"),
    step(2, "text.big( )"),
    step(3, "text .big()"),
    step(4, "text . big()"),
  ]);
  const app = await project.open();
  const { id } = await app.api.send({ type: "request.start", options: project.options() });
  const end = await app.api.send({ type: "request.run", id });
  const builders: string[] = [];
  for (const task of end.work[0]?.tasks ?? []) {
    const { role, why, step: at, reason } = await app.tasks.show(task);
    if (role === "engineer") builders.push(`${why} ${at} ${reason}`);
  }
  expect(builders).toEqual([
    "attempts_fail 3 3 attempts in a row left the same failing",
    "attempts_fail 2 REPEATED FAILURE: the same way failed in this session before",
    "attempts_fail 2 REPEATED FAILURE: the same way failed in this session before",
  ]);
  // What was tried goes with the piece: to whoever tries again, and to the user in the end.
  expect(end.status).toBe("needs_you");
  expect(end.questions[0]?.text).toContain("REPEATED FAILURE");
  const found = await app.memory.mistakes();
  const own = Array.isArray(found) ? found.find(({ pattern }) => pattern === "shouting by hand") : undefined;
  expect(own).toMatchObject({ occurrences: 3, session_ids: [id], approach_signature: "shouting by hand" });
  await app.close();
  const labels: string[] = [];
  const other = scriptedProject(FILES, script([complete]));
  const memory = await other.open();
  for (let times = 1; times <= 5; times += 1) {
    await memory.memory.reportMistake(
      { pattern: "mocking the driver", error: "it breaks", fix: times === 1 ? "" : "a real one" },
      { dryRun: false },
    );
    const [one] = (await memory.memory.mistakes()) as { alert: string }[];
    labels.push(one?.alert ?? "");
  }
  expect(labels).toEqual([
    "mocking the driver: it breaks. What helped: nothing known (1×)",
    "SIMILAR FAILURE DETECTED (2×): mocking the driver: it breaks. What helped: a real one. Recommendation: do what helped instead; else proceed with caution",
    ...[3, 4].map((times) => expect.stringMatching(new RegExp(`^SIMILAR FAILURE DETECTED \\(${times}×\\)`, "u")) as string),
    "RECURRING FAILURE (5×): mocking the driver: it breaks. What helped: a real one. Recommendation: do what helped instead; else change the approach",
  ]);
  await memory.close();
});
