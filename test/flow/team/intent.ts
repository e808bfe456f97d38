/** What `intent.test.ts` and its long form share. */
import type { App } from "../../support/lab.ts";
import type { Result } from "../../../src/protocol/api/index.ts";
import { type TeamProject } from "../../support/team-project.ts";

export type Detail = Result<"request.show">;

export async function begun(
  project: TeamProject,
  more: Parameters<TeamProject["options"]>[0] = {},
): Promise<{ app: App; id: string; now: Detail }> {
  const app = await project.open();
  const { id } = await app.api.send({ type: "request.start", options: project.options(more) });
  return { app, id, now: await app.api.send({ type: "request.run", id }) };
}
