/** What `baseline.test.ts` and its long form share. */
import { onTestFinished } from "vitest";
import type { App } from "../../support/lab.ts";
import { planOf, simplePiece, teamProject, testOf } from "../../support/team-project.ts";

export const CHECKS = ["node --test", "node lint.mjs", "no-such-linter src"];

const FILES = {
  "lint.mjs": "console.log('src/trim.js:1: too plain'); process.exit(1);\n",
  "test/old.test.js": testOf("old", "trim", "../src/trim.js", `assert.equal(trim("a"), "b")`),
};

const never = new AbortController().signal;

export async function payloadsOf(app: App, types: string[]): Promise<Record<string, unknown>[]> {
  const { position: until } = await app.api.query({ type: "journal.head" });
  const found: Record<string, unknown>[] = [];
  for await (const { payload } of app.api.events({ types, until }, 0, never)) found.push(payload as Record<string, unknown>);
  return found;
}

/** A request whose plan shows two things by commands, one of them the project's own check. */
export async function planned(): Promise<{ app: App; id: string; dir: string }> {
  const pieces = [simplePiece("loud")];
  const plan = planOf(pieces);
  const byCommand = (id: string, command: string) => ({
    id,
    text: `${command} is content`,
    from: "user" as const,
    shown_by: "command" as const,
    command,
  });
  const commands = [byCommand("A2", "node lint.mjs"), byCommand("A3", "node src/trim.js"), byCommand("A4", "no-such-linter src")];
  const drafted = {
    ...plan,
    assertions: [...plan.assertions, ...commands],
    nodes: plan.nodes.map((node) => ({ ...node, assertions: ["A1", "A2", "A3", "A4"] })),
  };
  const project = teamProject(drafted, pieces, FILES);
  const app = await project.open({ permissions: { allow: ["node *", "no-such-linter *"] } });
  onTestFinished(() => app.close());
  const { id } = await app.api.send({ type: "request.start", options: project.options({ checks: CHECKS, approve: "ask" }) });
  return { app, id, dir: project.dir };
}

export const approve = (app: App, id: string) =>
  app.api.send({ type: "question.answer", id, answer: { kind: "chosen", value: "approve" } });
