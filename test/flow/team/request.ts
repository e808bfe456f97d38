/** What `request.test.ts` and its long form share. */
import type { App } from "../../support/lab.ts";
import { gitIn } from "../../support/knowledge-project.ts";
import { type TeamProject } from "../../support/team-project.ts";

export const never = new AbortController().signal;

export async function started(project: TeamProject, more: Parameters<TeamProject["options"]>[0] = {}): Promise<{ app: App; id: string }> {
  const app = await project.open();
  const { id } = await app.api.send({ type: "request.start", options: project.options(more) });
  return { app, id };
}

export async function eventsOf(app: App, types: string[]): Promise<{ type: string; payload: Record<string, unknown> }[]> {
  const { position: until } = await app.api.query({ type: "journal.head" });
  const found: { type: string; payload: Record<string, unknown> }[] = [];
  for await (const { type, payload } of app.api.events({ types, until }, 0, never))
    found.push({ type, payload: payload as Record<string, unknown> });
  return found;
}

export const treesIn = ({ dir }: TeamProject): string =>
  gitIn(dir, "worktree", "list", "--porcelain")
    .match(/^branch refs\/heads\/sylk\/.*$/gmu)
    ?.join(" ") ?? "";
