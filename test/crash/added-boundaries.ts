/** Words that are added while a request is built, and a kill at any append of it: they are wanted once, by everybody from then on. */
import { expect } from "vitest";
import type { Payload } from "../../src/protocol/events/index.ts";
import { planOf, simplePiece, teamProject, type TeamProject } from "../support/team-project.ts";
import { FACTS, killRequests, type Story } from "./team-boundaries.ts";

const HOUR = 3_600_000;
const WORDS = "and add quiet too, but leave loud out";
const [calm, loud, quiet] = [simplePiece("calm"), simplePiece("loud", { after: ["n1"] }), simplePiece("quiet")];
const first = planOf([calm, loud]);

/** What is left to do once the words are heard. */
const changed = {
  ...first,
  summary: "add calm and quiet",
  assertions: [{ id: "A3", text: "quiet does what was asked for", from: "user", shown_by: "test" }],
  nodes: [{ id: "n2", title: "quiet", goal: "add quiet", assertions: ["A3"], after: [], files: ["src/quiet.js", "test/quiet.test.js"] }],
  deferred: ["A2: the person wants loud left out"],
};

/** Whoever builds `loud` never comes to an end: nothing is through before the words are heard. */
const rules = [
  {
    when: { role: "architect", text: "^(?=.*The person adds: and add quiet too).*" },
    answer: { text: "as said", tool_calls: [{ name: "submit_plan", input: changed }] },
  },
  { when: { role: "engineer", text: "your part of it:\\nloud\\n", step: 1 }, answer: { delay_ms: HOUR, text: "never" } },
];

interface Later {
  position: number;
  type: string;
  payload: unknown;
}

/** In the plan once, and word for word before everybody who began afterwards. */
async function heard(project: TeamProject, id: string): Promise<void> {
  const app = await project.open();
  const { intent, plan, end } = await app.api.query({ type: "request.show", id });
  expect(intent.said).toEqual([{ on: "addition", words: WORDS }]);
  expect(plan?.plan.assertions.map((one) => one.id)).toEqual(["A1", "A3"]);
  expect(plan?.plan.nodes.map(({ id: node, title }) => `${node} ${title}`)).toEqual(["n1 calm", "n3 quiet"]);
  expect(Object.keys(end?.evidence ?? {})).toEqual(["A1", "A3"]);
  const { position: until } = await app.api.query({ type: "journal.head" });
  const events: Later[] = [];
  const types = ["request.added", "task.created", "task.stepped"];
  for await (const event of app.api.events({ types, until }, 0, new AbortController().signal)) events.push(event);
  const said = events.findIndex(({ type }) => type === "request.added");
  const later = events.slice(said).flatMap(({ type, payload }) => (type === "task.created" ? [payload as Payload<"task.created">] : []));
  // The Architect, then Tester, Engineer and Inspector of what is new, and the look at the whole.
  expect(later.map(({ role }) => role)).toEqual(["architect", "tester", "engineer", "inspector", "inspector"]);
  for (const { id: task, goal } of later) {
    expect(goal.split(WORDS)).toHaveLength(2);
    const { user } = await app.tasks.context(task, 1);
    expect(user).toContain(goal);
  }
  await app.close();
}

const STORY: Story = {
  project: () => teamProject(first, [calm, loud, quiet], {}, rules),
  adds: { words: WORDS, during: "loud" },
  work: ["merged", "cancelled", "merged"],
  facts: [...FACTS, "request.added", "plan.replanned", "plan.refused", "plan.unchanged"],
  holds: heard,
};

export const killAdded = (isChosen: (place: number) => boolean): Promise<number> => killRequests(isChosen, STORY);
