/** What `consult.test.ts` and its long form share. */
import type { App } from "../../support/lab.ts";
import { planOf, simplePiece, teamProject, type TeamProject } from "../../support/team-project.ts";

export const QUESTION = "where is text trimmed, and who relies on it?";

export const call = (name: string, input: unknown): unknown => ({ text: "as said", tool_calls: [{ name, input }] });

export const consults = (target: string, question = QUESTION): unknown => call("consult", { target, question });

export const answers = (answer = "in trim(); the test relies on it", sources = ["src/trim.js:1", "test/trim.test.js:4"]): unknown =>
  call("answer", { answer, sources, confidence: 0.9 });

/** The Architect asks first and plans then; the rest of the rules say what the asked ones do. */
export function asking(target: string, ...rules: unknown[]): TeamProject {
  const pieces = [simplePiece("loud")];
  return teamProject(planOf(pieces), pieces, {}, [{ when: { role: "architect", step: 1 }, answer: consults(target) }, ...rules]);
}

export const asked = async (app: App) => (await app.tasks.list()).filter(({ type }) => type === "consult");

/** What the asker read in its next step. */
export const heard = async (app: App, task: string, step = 2): Promise<string> => (await app.tasks.context(task, step)).user;
