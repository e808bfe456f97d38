/** What `run-request.test.ts` and its long form share. */
import { runSylk } from "../support/run-sylk.ts";
import { simplePiece, type TeamProject } from "../support/team-project.ts";

export const pieces = [simplePiece("loud")];

export const sylk = ({ dir, env }: TeamProject, ...args: string[]) => runSylk(dir, env, args, 300_000);
