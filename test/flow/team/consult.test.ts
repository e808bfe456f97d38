/** One role asks another: who may, what the asked one is told, what comes back, and what ends it. */
import { expect, test, vi } from "vitest";
import type { App } from "../../support/lab.ts";
import { shippedRole } from "../../support/shipped-roles.ts";
import { type TeamProject } from "../../support/team-project.ts";
import { createTeamExtension } from "../../../src/team/index.ts";
import { QUESTION, call, consults, answers, asking, asked, heard } from "./consult.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

const ROLES = ["guide", "architect", "engineer", "designer", "inspector", "tester", "librarian", "archivalist", "academic"] as const;

type RoleName = (typeof ROLES)[number];

const WORKERS = ["architect", "engineer", "designer", "inspector", "tester"] as const;

const KNOWLEDGE = ["librarian", "archivalist", "academic"] as const;

/** Everybody who builds asks everybody, but those who judge ask no outsider; who knows asks the others who know. */
const MATRIX: Record<RoleName, readonly RoleName[]> = {
  guide: [...WORKERS, ...KNOWLEDGE],
  architect: ["guide", ...WORKERS, ...KNOWLEDGE],
  engineer: ["guide", ...WORKERS, ...KNOWLEDGE],
  designer: ["guide", ...WORKERS, ...KNOWLEDGE],
  inspector: ["guide", ...WORKERS, "librarian", "archivalist"],
  tester: ["guide", ...WORKERS, "librarian", "archivalist"],
  librarian: ["guide", ...KNOWLEDGE],
  archivalist: ["guide", ...KNOWLEDGE],
  academic: ["guide", ...KNOWLEDGE],
};

test("CON-030: of all pairs of roles exactly those of the matrix may ask each other, and nobody asks itself or the Orchestrator", async () => {
  const asked = new Error("asked");
  const { actions = [] } = createTeamExtension({
    store: () => Promise.reject(asked),
    roleOf: (id: string) => ({ spec: shippedRole(id) }),
  } as never);
  const consult = actions.find(({ name }) => name === "consult");
  const found: Record<string, string[]> = {};
  for (const from of [...ROLES, "orchestrator"]) {
    const state = { created: { id: "task_1", role: from, inputs: {} }, history: [] };
    const shown = consult?.offeredTo?.({} as never, shippedRole(from)) === true ? consult.shownTo?.(shippedRole(from)).schema : undefined;
    for (const target of [...ROLES, "orchestrator"]) {
      const done = await Promise.resolve(consult?.execute({ target, question: "?" }, { state, callId: "task_1_1_0" } as never)).catch(
        (error: unknown) => (error === asked ? "asked" : Promise.reject(error as Error)),
      );
      // What a model is shown, and what is done when it asks all the same.
      expect([from, target, shown?.safeParse({ target, question: "?" }).success === true]).toEqual([from, target, done === "asked"]);
      if (done === "asked") (found[from] ??= []).push(target);
    }
  }
  const expected = Object.fromEntries(ROLES.map((role) => [role, ROLES.filter((one) => one !== role && MATRIX[role].includes(one))]));
  expect(found).toEqual(expected);
});

const WORDS = "add the functions, and never touch trim";

async function planned(project: TeamProject): Promise<{ app: App; architect: string }> {
  const app = await project.open();
  const { id } = await app.api.send({ type: "request.start", options: project.options({ approve: "plan-only" }) });
  expect((await app.api.send({ type: "request.run", id })).status).toBe("planned");
  const architect = (await app.tasks.list()).find(({ role }) => role === "architect")?.id ?? "";
  return { app, architect };
}

test("~CON-011 ~CON-013: the asked role hears the user's words as they are, and its answer comes back with its sources and how sure it is", async () => {
  const { app, architect } = await planned(asking("librarian", { when: { role: "librarian" }, answer: answers() }));
  const [one, ...more] = await asked(app);
  expect([one?.role, one?.status, more]).toEqual(["librarian", "complete", []]);
  const { user, tools } = await app.tasks.context(one?.id ?? "", 1);
  for (const text of [WORDS, "no new dependencies", QUESTION, "architect"]) expect(user).toContain(text);
  const names = (tools as { name: string }[]).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["read_file", "search", "answer", "consult", "search_code"]));
  for (const name of ["write_file", "run_command", "ask_user"]) expect(names).not.toContain(name);
  const told = await heard(app, architect);
  for (const text of ["in trim(); the test relies on it", "src/trim.js:1", "confidence 0.9"]) expect(told).toContain(text);
  await app.close();
});

test("an answer without a source, or with one that is not there, is not taken; what is nowhere is said to be", async () => {
  const project = asking(
    "librarian",
    { when: { role: "librarian", step: 1 }, answer: answers("somewhere", []) },
    { when: { role: "librarian", step: 2 }, answer: answers("there", ["src/trim.js:99", "src/gone.js:1", "my feeling"]) },
    { when: { role: "librarian" }, answer: answers("Not found: neither in src nor in test", []) },
  );
  const { app, architect } = await planned(project);
  const [one] = await asked(app);
  const steps = (await app.tasks.show(one?.id ?? "")).steps.map(({ actions }) => actions.join());
  expect(steps[0]).toContain("names what shows it");
  for (const text of ["src/trim.js has no line 99", "src/gone.js cannot be read", "my feeling is no path:line"])
    expect(steps[1]).toContain(text);
  const told = await heard(app, architect);
  for (const text of ["neither in src nor in test", "confidence 0)"]) expect(told).toContain(text);
  await app.close();
});

test("CON-016 ~CON-031: nobody waits in a circle: whoever waits already, or is one too many, is refused with words, and the answer is given without", async () => {
  const project = asking(
    "librarian",
    { when: { role: "librarian", step: 1 }, answer: consults("archivalist") },
    { when: { role: "librarian" }, answer: answers() },
    { when: { role: "archivalist", step: 1 }, answer: consults("librarian") },
    { when: { role: "archivalist", step: 2 }, answer: consults("academic") },
    { when: { role: "archivalist", step: 3 }, answer: consults("engineer") },
    { when: { role: "archivalist" }, answer: answers() },
  );
  const { app } = await planned(project);
  const all = await asked(app);
  expect(all.map(({ role, status }) => `${role} ${status}`).toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
    "archivalist complete",
    "librarian complete",
  ]);
  const last = await app.tasks.show(all.find(({ role }) => role === "archivalist")?.id ?? "");
  const said = last.steps.map(({ actions }) => actions.join());
  expect(said[0]).toContain("librarian waits for this answer already (architect → librarian → archivalist)");
  expect(said[1]).toContain("enough were asked already");
  expect(said[2]).toContain("archivalist cannot ask engineer; it may ask guide, librarian, academic");
  await app.close();
});

test("whoever does not answer in time is stopped, and the asker goes on", async () => {
  const project = asking("librarian", { when: { role: "librarian" }, answer: { ...(answers() as object), delay_ms: 600_000 } });
  project.env["SYLK_TEAM_CONSULT_TIMEOUT"] = "1ms";
  const { app, architect } = await planned(project);
  expect((await asked(app)).map(({ status }) => status)).toEqual(["cancelled"]);
  expect(await heard(app, architect)).toContain("librarian gave no answer: it took longer than a consultation may");
  await app.close();
});

test("whoever comes to no answer is let go, and the asker hears why", async () => {
  const project = asking("librarian", { when: { role: "librarian" }, answer: call("read_file", { path: "src/trim.js" }) });
  const { app, architect } = await planned(project);
  expect((await asked(app)).map(({ status }) => status)).toEqual(["cancelled"]);
  expect(await heard(app, architect)).toContain("librarian gave no answer");
  // Beside the plan, which waits for a word.
  expect((await app.questions.list({ ended: false })).map(({ ask }) => ask.kind)).toEqual(["plan"]);
  await app.close();
});
