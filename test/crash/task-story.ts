import { expect } from "vitest";
import type { App } from "../support/lab.ts";
import type { WireEvent } from "../../src/protocol/index.ts";
import type { ScriptedProject } from "../support/scripted-project.ts";

/** What the tasks of a project did, without what differs from run to run; the journal must verify. */
export async function readStory(app: App, project: ScriptedProject): Promise<unknown[]> {
  const events: WireEvent[] = [];
  for await (const event of app.journal.export({ filter: { stream: "task/" }, signal: new AbortController().signal })) events.push(event);
  const report = await app.journal.verify();
  expect(report).toMatchObject({ valid: true });
  return events.map(
    (event) => JSON.parse(JSON.stringify({ type: event.type, payload: event.payload }).replaceAll(project.base, "BASE")) as unknown,
  );
}

export async function story(project: ScriptedProject): Promise<unknown[]> {
  const app = await project.open();
  const events = await readStory(app, project);
  await app.close();
  return events;
}
