/** Kills a request at places between its appends, its pieces' and its tasks'; the next process must end it as if nothing had been. */
import { expect } from "vitest";
import { gitIn } from "../support/knowledge-project.ts";
import { filesOf } from "../support/scripted-project.ts";
import { planOf, simplePiece, teamProject, testOf, type TeamProject } from "../support/team-project.ts";
import { atPlaces, liveOut, NEVER, type Life, type Point } from "./run-life.ts";

const hidden = { "test/loud-more.test.js": testOf("more", "loud", "../src/loud.js", `assert.equal(loud("b"), "loud b")`) };
const pieces = [simplePiece("loud", { hidden }), simplePiece("calm", { after: ["n1"] })];

async function started(): Promise<{ project: TeamProject; id: string }> {
  const project = teamProject(planOf(pieces), pieces);
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

async function run(project: TeamProject, id: string, point: Point): Promise<Life> {
  return liveOut(project, { do: "request", id, streams: STREAMS }, point);
}

/** Facts of a request, by how often each was told. */
async function factsOf(project: TeamProject): Promise<Record<string, number>> {
  const app = await project.open();
  const { position: until } = await app.api.query({ type: "journal.head" });
  const found: Record<string, number> = {};
  const types = [
    "plan.drafted",
    "pipeline.opened",
    "pipeline.red_shown",
    "pipeline.merged",
    "pipeline.ended",
    "request.ended",
    "task.merged",
  ];
  for await (const { type } of app.api.events({ types, until }, 0, new AbortController().signal)) found[type] = (found[type] ?? 0) + 1;
  await app.close();
  return found;
}

export async function killRequests(isChosen: (place: number) => boolean): Promise<number> {
  const straight = await started();
  const whole = await run(straight.project, straight.id, NEVER);
  const expected = { files: filesOf(straight.project.dir), facts: await factsOf(straight.project) };
  expect(whole.outcome).toMatchObject({ status: "done", work: ["merged", "merged"] });
  return atPlaces(whole.appends, isChosen, async (point) => {
    const { project, id } = await started();
    expect((await run(project, id, point)).killed).toBe(true);
    const life = await run(project, id, NEVER);
    expect([point, life.outcome]).toEqual([point, expect.objectContaining({ status: "done", work: ["merged", "merged"] })]);
    expect([point, filesOf(project.dir)]).toEqual([point, expected.files]);
    expect([point, await factsOf(project)]).toEqual([point, expected.facts]);
    expect([point, left(project)]).toEqual([point, []]);
  });
}
