/** What roles say to each other in a request: what travels with it, how answers are weighed, who is asked before the user. */
import { expect, test, vi } from "vitest";
import type { App } from "../../support/lab.ts";
import type { Payload } from "../../../src/protocol/events/index.ts";
import { shippedRole } from "../../support/shipped-roles.ts";
import { planOf, simplePiece, teamProject } from "../../support/team-project.ts";
import { call, asks, says, at, always, KNOW, team, begun, answered, eventsOf, messagesOf, optionsOf, refuses } from "./messages.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

const weighedOf = (app: App) => eventsOf<Payload<"message.weighed">>(app, "message.weighed");

test("MSG-004: whoever is not answered in time has a failure under the same correlation and goes on", async () => {
  const project = team([at("architect", 1, asks("librarian")), always("librarian", { ...(says(0.9) as object), delay_ms: 600_000 })]);
  project.env["SYLK_TEAM_CONSULT_TIMEOUT"] = "1ms";
  const { app, now } = await begun(project);
  expect(now.plan?.version).toBe(1);
  const [, question, failure] = await messagesOf(app);
  expect(failure).toMatchObject({ parent: question?.id, correlation: now.id, to: "architect", body: { kind: "failure", code: "expired" } });
  expect(await eventsOf(app, "message.expired")).toMatchObject([{ id: question?.id, from: "architect", to: "librarian" }]);
  await app.close();
});

test("INT-015: each answer is weighed by its chain and the limits it leaves unmet; when all who could know were asked the user decides, told who was asked, what was found and what is not met", async () => {
  const project = team([
    at("architect", 1, asks("librarian")),
    at("architect", 2, asks("archivalist")),
    at("architect", 3, asks("academic")),
    always("librarian", says(0.72, ["small memory"])),
    always("archivalist", says(0.8)),
    always("academic", says(0.3, ["small memory"], "a bigger map")),
  ]);
  const { app, id, now } = await begun(project, { constraints: ["small memory"] });
  expect((await weighedOf(app)).map(({ decision, cumulative, unmet_constraints: unmet, by }) => [decision, cumulative, unmet, by])).toEqual(
    [
      ["query_other", 0.684, ["small memory"], "architect"],
      ["continue", 0.76, [], "architect"],
      ["escalate", 0.285, ["small memory"], "architect"],
    ],
  );
  expect((await weighedOf(app)).every(({ rationale }) => rationale.length > 0)).toBe(true);
  expect([now.status, now.plan]).toEqual(["needs_you", undefined]);
  for (const text of [
    "The architect asked the academic",
    "which cache is there?",
    "a bigger map",
    "- librarian: ",
    "Not met: small memory",
  ])
    expect(now.questions[0]?.text).toContain(text);
  expect(await optionsOf(app, now)).toEqual(["use", "look", "say"]);
  const planned = await answered(app, id, { value: "say", words: "keep ten entries" });
  expect(planned.plan?.version).toBe(1);
  expect(planned.intent.said).toMatchObject([{ on: "question", words: "keep ten entries" }]);
  const architect = (await app.tasks.list()).find(({ role }) => role === "architect");
  expect((await app.tasks.context(architect?.id ?? "", 4)).user).toContain("The person says: keep ten entries");
  expect(await weighedOf(app)).toHaveLength(3);
  await app.close();
});

test("INT-015: an answer that is sure enough and meets every limit is gone on with, and nobody is asked", async () => {
  const project = team([at("architect", 1, asks("academic")), always("academic", says(0.85))]);
  const { app, now } = await begun(project, { constraints: ["small memory"] });
  expect((await weighedOf(app)).map(({ decision }) => decision)).toEqual(["continue"]);
  expect(now.questions[0]?.text).toContain("Is this how it should be done?");
  await app.close();
});

const wants = (input: object): unknown => call("ask_user", { question: "Tabs or spaces?", ...input });

test("AGT-037 ARC-012: the user is asked last: until the code, the past and documents were looked up the question is refused, and then it lists what was checked", async () => {
  const project = team([
    at("architect", 1, wants({})),
    at("architect", 2, asks("librarian")),
    at("architect", 3, wants({})),
    at("architect", 4, asks("archivalist")),
    at("architect", 5, wants({})),
    at("architect", 6, asks("academic")),
    at("architect", 7, wants({})),
    always("librarian", call("answer", { answer: "not found in src", sources: [], confidence: 0 })),
    always("archivalist", says(0.9, [], "tabs once, spaces once")),
    always("academic", says(0.9, [], "both are common")),
  ]);
  const { app, id, now } = await begun(project);
  const architect = (await app.tasks.list()).find(({ role }) => role === "architect");
  const said = (await app.tasks.show(architect?.id ?? "")).steps.map(({ actions }) => actions.join());
  expect(said[0]).toContain("consult librarian and archivalist about this first");
  expect(said[2]).toContain("consult archivalist about this first");
  expect(said[4]).toContain("consult academic about this first");
  expect(now.questions[0]?.text).toBe(
    "Tabs or spaces?\nChecked before asking you:\n- librarian: not found in src\n- archivalist: tabs once, spaces once\n- academic: both are common",
  );
  expect((await answered(app, id, "tabs")).plan?.version).toBe(1);
  await app.close();
});

test("ARC-012: what only the person can prefer needs no documents, but the code and the past", async () => {
  const project = team([
    at("architect", 1, wants({ preference: true })),
    at("architect", 2, asks("librarian")),
    at("architect", 3, asks("archivalist")),
    at("architect", 4, wants({ preference: true })),
    ...KNOW,
  ]);
  const { app, now } = await begun(project);
  expect(now.questions[0]?.text).toMatch(/^Tabs or spaces\?\nChecked before asking you:\n- librarian: .*\n- archivalist: [^\n]*$/);
  await app.close();
});

test("AGT-011: who does not speak to the user never does by itself: the Guide's questions are the system's, a Tester's are its own while its phase lasts, and nobody else asks", async () => {
  const speaks = (role: string): string => shippedRole(role).speaks;
  expect(["engineer", "guide", "orchestrator"].map(speaks)).toEqual(["never", "never", "never"]);
  expect(["designer", "inspector", "tester"].map(speaks)).toEqual(["phase", "phase", "phase"]);
  expect(speaks("architect")).toBe("always");
  const unsure = { when: { role: "guide" }, answer: call("classify", { kind: "task", confidence: 0.5, reading: "as a change" }) };
  const project = team([
    at("tester", 1, asks("librarian")),
    at("tester", 2, asks("archivalist")),
    at("tester", 3, call("ask_user", { question: "Which runner?" })),
    ...KNOW,
  ]);
  const other = teamProject(planOf([simplePiece("loud")]), [simplePiece("loud")], {}, [unsure]);
  const first = await begun(other);
  const by = async (app: App): Promise<string[]> => {
    const { position: until } = await app.api.query({ type: "journal.head" });
    const actors: string[] = [];
    for await (const { actor } of app.api.events({ types: ["question.asked"], until }, 0, new AbortController().signal)) actors.push(actor);
    return actors;
  };
  expect([first.now.status, await by(first.app)]).toEqual(["needs_you", ["system/engine"]]);
  await first.app.close();
  const { app, now } = await begun(project, { mode: "team", approve: "auto" });
  expect(now.questions[0]?.text).toMatch(/^Which runner\?\nChecked before asking you:/);
  expect((await by(app)).map((actor) => actor.split("/").slice(0, 2).join("/"))).toEqual(["agent/tester"]);
  await app.close();
});

test("AGT-019: who is not the one to ask says so and does nothing else, and the one it names answers; who needs to know more says what, and is asked again", async () => {
  const project = team([
    at("architect", 1, asks("librarian", "what is good practice?")),
    at("architect", 2, asks("archivalist", "did it work?")),
    at("architect", 3, asks("archivalist", "did the cache work?")),
    always("librarian", refuses("that is no code", "academic")),
    always("academic", says(0.9, [], "small maps")),
    { when: { role: "archivalist", text: "did it work" }, answer: call("reroute", { reason: "what is it?" }) },
    always("archivalist", says(0.9, [], "it did")),
  ]);
  const { app } = await begun(project);
  const architect = (await app.tasks.list()).find(({ role }) => role === "architect");
  const said = (await app.tasks.show(architect?.id ?? "")).steps.map(({ actions }) => actions.join());
  expect(said[0]).toContain("academic: small maps");
  expect(said[1]).toContain("archivalist gave no answer: it needs to know more first: what is it?");
  expect(said[2]).toContain("archivalist: it did");
  const sent = await messagesOf(app);
  expect(sent.map(({ from, to, body }) => `${from} → ${to}: ${body.kind}`).slice(1, 5)).toEqual([
    "architect → librarian: question",
    "librarian → architect: failure",
    "architect → academic: question",
    "academic → architect: answer",
  ]);
  expect(sent[4]?.hops).toEqual([{ from: "librarian", reason: "that is no code", to: "academic" }]);
  expect((await app.tasks.list()).filter(({ role, step }) => role === "librarian" && step === 1)).toHaveLength(1);
  await app.close();
});
