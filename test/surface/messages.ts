/** What `messages.test.ts` and its long form share. */
import { runSylk } from "../support/run-sylk.ts";
import { simplePiece, type TeamProject } from "../support/team-project.ts";

export const pieces = [simplePiece("loud")];

export const sylk = ({ dir, env }: TeamProject, ...args: string[]) => runSylk(dir, env, args, 300_000);

export const json = <T>(text: string): T => JSON.parse(text.trim().split("\n").at(-1) ?? "") as T;

export const call = (name: string, input: unknown): unknown => ({ text: "as said", tool_calls: [{ name, input }] });

export const asks = (step: number, target: string): unknown => ({
  when: { role: "architect", step },
  answer: call("consult", { target, question: "tabs or spaces?" }),
});
