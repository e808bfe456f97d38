/** Kills a request at places between its appends, its pieces' and its tasks'; the next process must end it as if nothing had been. */
import { expect } from "vitest";
import { gitIn } from "../support/knowledge-project.ts";
import { filesOf } from "../support/scripted-project.ts";
import { planOf, simplePiece, teamProject, testOf, type TeamProject } from "../support/team-project.ts";
import { atPlaces, liveOut, NEVER, type Life, type Point } from "./run-life.ts";

/** What is asked for, what is said while it is built, and how it ends; `holds`: what else must be so then. */
export interface Story {
  project: () => TeamProject;
  adds?: { words: string; during: string };
  work: string[];
  facts: string[];
  holds?: (project: TeamProject, id: string) => Promise<void>;
}

const hidden = { "test/loud-more.test.js": testOf("more", "loud", "../src/loud.js", `assert.equal(loud("b"), "loud b")`) };
const pieces = [simplePiece("loud", { hidden }), simplePiece("calm", { after: ["n1"] })];

export const FACTS = [
  "plan.drafted",
  "pipeline.opened",
  "pipeline.red_shown",
  "pipeline.merged",
  "pipeline.ended",
  "request.ended",
  "task.merged",
];

const PLAIN: Story = { project: () => teamProject(planOf(pieces), pieces), work: ["merged", "merged"], facts: FACTS };

async function started(story: Story): Promise<{ project: TeamProject; id: string }> {
  const project = story.project();
  const app = await project.open();
  const { id } = await app.api.send({ type: "request.start", options: project.options() });
  await app.close();
  return { project, id };
}

const left = ({ dir }: TeamProject): string[] => [
  ...(gitIn(dir, "worktree", "list", "--porcelain").match(/^branch refs\/heads\/sylk\/.*$/gmu) ?? []),
  ...(gitIn(dir, "branch", "--list", "sylk/*").match(/sylk\/\S+/gu) ?? []),
];

/** Streams whose appends are counted. */
const STREAMS = ["request/", "pipeline/"];

async function run({ adds }: Story, project: TeamProject, id: string, point: Point): Promise<Life> {
  return liveOut(project, { do: "request", id, adds, streams: STREAMS }, point);
}

/** Facts of a request, by how often each was told. */
async function factsOf(project: TeamProject, types: string[]): Promise<Record<string, number>> {
  const app = await project.open();
  const { position: until } = await app.api.query({ type: "journal.head" });
  const found: Record<string, number> = {};
  for await (const { type } of app.api.events({ types, until }, 0, new AbortController().signal)) found[type] = (found[type] ?? 0) + 1;
  await app.close();
  return found;
}

export async function killRequests(isChosen: (place: number) => boolean, story: Story = PLAIN): Promise<number> {
  const straight = await started(story);
  const whole = await run(story, straight.project, straight.id, NEVER);
  const expected = { files: filesOf(straight.project.dir), facts: await factsOf(straight.project, story.facts) };
  const end = expect.objectContaining({ status: "done", work: story.work });
  expect(whole.outcome).toEqual(end);
  await story.holds?.(straight.project, straight.id);
  return atPlaces(whole.appends, isChosen, async (point) => {
    const { project, id } = await started(story);
    expect([point, (await run(story, project, id, point)).killed]).toEqual([point, true]);
    const life = await run(story, project, id, NEVER);
    expect([point, life.outcome]).toEqual([point, end]);
    expect([point, filesOf(project.dir)]).toEqual([point, expected.files]);
    expect([point, await factsOf(project, story.facts)]).toEqual([point, expected.facts]);
    expect([point, left(project)]).toEqual([point, []]);
    await story.holds?.(project, id);
  });
}
