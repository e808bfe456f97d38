/** What those who work on a piece are told: where their part ends, and on a second try what was tried and what the review said. */
import { expect, test, vi } from "vitest";
import { planOf, simplePiece, teamProject, testOf } from "../../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

test("ERR-043: what the held-out tests refuse goes back with a briefing, and the second try passes: it is shown what was built and what the review noted; a reviewer is offered its review alone", async () => {
  const hidden = { "test/loud-more.test.js": testOf("more", "loud", "../src/loud.js", `assert.equal(loud("b"), "loud b")`) };
  const builds = [
    { "src/loud.js": `export const loud = () => "loud a";\n` },
    { "src/loud.js": "export const loud = (text) => `loud ${text}`;\n" },
  ];
  const pieces = [
    simplePiece("loud", { hidden, builds, finds: [[{ text: "it never looks at its argument", path: "src/loud.js", line: 1 }]] }),
  ];
  const project = teamProject(planOf(pieces), pieces);
  const app = await project.open();
  const { id } = await app.api.send({ type: "request.start", options: project.options() });
  const end = await app.api.send({ type: "request.run", id });
  expect([end.status, end.work[0]?.attempt]).toEqual(["done", 2]);
  const { position: until } = await app.api.query({ type: "journal.head" });
  const briefings: unknown[] = [];
  for await (const { payload } of app.api.events({ types: ["pipeline.returned"], until }, 0, new AbortController().signal))
    briefings.push((payload as { briefing: unknown }).briefing);
  const failed = expect.stringContaining("more: loud") as string;
  expect(briefings).toEqual([
    {
      original_request: "add the functions, and never touch trim",
      attempt_number: 2,
      prior_attempts: [
        {
          timestamp: expect.any(Number) as number,
          approach: "built loud",
          error: failed,
          error_tier: "permanent",
          tokens_spent: expect.any(Number) as number,
          phases_complete: ["red", "green", "inspect"],
        },
      ],
      failure_analysis: failed,
      suggested_approach: expect.stringContaining("mend what is named here") as string,
      avoid_patterns: [expect.stringMatching(/^built loud: /u) as string],
    },
  ]);
  const tasks = await Promise.all((end.work[0]?.tasks ?? []).map((task) => app.tasks.show(task)));
  const told = async (role: string): Promise<Awaited<ReturnType<typeof app.tasks.context>>[]> =>
    Promise.all(tasks.filter((task) => task.role === role).map((task) => app.tasks.context(task.id, 1)));
  const [first, second] = await told("engineer");
  expect(first?.user).toContain("your part of it:\nloud\nadd loud\n");
  // Nobody else builds anything.
  expect(first?.user).not.toContain("built by others");
  expect(first?.user).not.toContain("what is built so far");
  // All of it reaches whoever tries again.
  expect(second?.user).toMatch(
    /what happened before:\nThis is attempt 2\. What failed last:\n[\s\S]*more: loud[\s\S]*Tried so far:\n1\. built loud \(tests written, built, judged, \d{3,} tokens, permanent\): [\s\S]*What to do now:\n[\s\S]*Do not repeat:\n- built loud: /u,
  );
  expect(second?.user).toContain(`what is built so far:`);
  expect(second?.user).toContain(`+export const loud = () => "loud a";`);
  expect(second?.user).toContain("The review noted: it never looks at its argument (src/loud.js:1)");
  const [review] = await told("inspector");
  const offered = JSON.stringify(review?.tools);
  expect(offered).toContain("submit_review");
  expect(offered).not.toContain("cannot_satisfy");
  expect(review?.user).not.toContain("say so when you complete");
  await app.close();
});

test("where the person's words take much room, what the engine adds to a second try gives way, and the words stand whole", async () => {
  const words = `add loud, and never touch trim\n${Array.from({ length: 150 }, (_line, at) => `Remark ${at}: the voice of loud is that of remark ${at} before it.`).join("\n")}`;
  const padding = (what: string): string =>
    Array.from({ length: 90 }, (_line, at) => `// ${what} ${at}: this line says nothing at all\n`).join("");
  const hidden = { "test/loud-more.test.js": testOf("more", "loud", "../src/loud.js", `assert.equal(loud("b"), "loud b")`) };
  const visible = {
    "test/loud.test.js": `${testOf("plain", "loud", "../src/loud.js", `assert.equal(loud("a"), "loud a")`)}${padding("test")}`,
  };
  const builds = [
    { "src/loud.js": `export const loud = () => "loud a";\n${padding("first")}` },
    { "src/loud.js": "export const loud = (text) => `loud ${text}`;\n" },
  ];
  const pieces = [simplePiece("loud", { visible, hidden, builds })];
  const project = teamProject(planOf(pieces), pieces);
  const app = await project.open();
  const { id } = await app.api.send({ type: "request.start", options: project.options({ words }) });
  const end = await app.api.send({ type: "request.run", id });
  expect([end.status, end.work[0]?.attempt]).toEqual(["done", 2]);
  const tasks = await Promise.all((end.work[0]?.tasks ?? []).map((task) => app.tasks.show(task)));
  const second = tasks.filter((task) => task.role === "engineer")[1];
  const { user } = await app.tasks.context(second?.id ?? "", 1);
  expect(user).toContain(words);
  expect(user).toContain("This is attempt 2. What failed last:");
  expect(user).toMatch(/what is built so far:\n[\s\S]*… \d+ lines omitted …/u);
  await app.close();
});
