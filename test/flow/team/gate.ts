/** What `gate.test.ts` and its long form share. */
import { planOf, simplePiece, teamProject, type TeamProject } from "../../support/team-project.ts";

export const RULE = { kind: "rule", what: "no new dependencies" };

export const fix = (correction: string, more: object): object => ({
  correction,
  breaks: [],
  impacts: [],
  cause: 0.9,
  why: "seen",
  ...more,
});

export const AGAINST = { text: "it counts by hand", evidence: RULE, fix: fix("install the counting package", { breaks: [1] }) };

/** The first build is found wanting, the second is not. */
export function reviewed(...findings: object[]): TeamProject {
  const builds = [
    { "src/loud.js": "// first try\nexport const loud = (text) => `loud ${text}`;\n" },
    { "src/loud.js": "export const loud = (text) => `loud ${text}`;\n" },
  ];
  const pieces = [simplePiece("loud", { builds })];
  const review = { text: "looked", tool_calls: [{ name: "submit_review", input: { summary: "looked", findings } }] };
  return teamProject(planOf(pieces), pieces, {}, [{ when: { role: "inspector", text: "first try" }, answer: review }]);
}

export async function run(project: TeamProject) {
  const app = await project.open();
  const { id } = await app.api.send({ type: "request.start", options: project.options() });
  return { app, id, end: await app.api.send({ type: "request.run", id }) };
}
