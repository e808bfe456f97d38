/** Requests that cannot be fulfilled, each in a way of its own. Whoever works on them says "done" all the same. */
import { systemClock } from "../../../src/kernel/index.ts";
import { openApp } from "../../support/lab.ts";
import { filesOf } from "../../support/scripted-project.ts";
import { FILES, planOf, simplePiece, teamProject, testOf, type TeamPiece } from "../../support/team-project.ts";
import type { Draft } from "../../../src/flow/intent.ts";

interface Impossible {
  why: string;
  piece: TeamPiece;
  plan?: (plan: Draft) => Draft;
}

const demand = (file: string, body: string): string => testOf(file, "loud", "../src/loud.js", body);
const hidden = (body: string): Record<string, string> => ({ "test/loud-more.test.js": demand("more", body) });
const claims = { name: "complete", input: { summary: "all of it is done and every test passes" } };
const shownBy =
  (command: string) =>
  (plan: Draft): Draft => ({
    ...plan,
    assertions: [...plan.assertions, { id: "A2", text: "and more", from: "user", shown_by: "command", command }],
    nodes: plan.nodes.map((node) => ({ ...node, assertions: ["A1", "A2"] })),
  });

/** Values that the plain test and the held-out one demand of the same call. */
const CONTRADICTIONS = ["b", "", "loud", "LOUD A", "a loud", "0", "null", "loud  a", "loud a!"].map((other): Impossible => ({
  why: `the held-out test demands "${other}" where the plain one demands "loud a"`,
  piece: simplePiece("loud", { hidden: hidden(`assert.equal(loud("a"), "${other}")`), ends: claims }),
}));

const COMMANDS = ["node --test missing", "false", "node -e 'process.exit(1)'", "git diff --quiet HEAD~9 --", "test -e never.txt"].map(
  (command): Impossible => ({
    why: `a command that never passes: ${command}`,
    piece: simplePiece("loud", { ends: claims }),
    plan: shownBy(command),
  }),
);

const OTHERS: readonly Impossible[] = [
  { why: "nothing is built, and it is called built", piece: simplePiece("loud", { builds: [{}], ends: claims }) },
  { why: "no test is written, and tests are called written", piece: simplePiece("loud", { visible: {}, ends: claims }) },
  {
    why: "the tests pass before anything is built",
    piece: simplePiece("loud", { visible: { "test/loud.test.js": testOf("plain", "trim", "../src/trim.js", "assert.ok(trim)") } }),
  },
  { why: "the work breaks what passed before", piece: simplePiece("loud", { builds: [{ "src/trim.js": "export const trim = 1;\n" }] }) },
  {
    why: "the tests are emptied by the builder",
    piece: simplePiece("loud", { builds: [{ "test/loud.test.js": "", "src/loud.js": "export const loud = () => 1;\n" }], ends: claims }),
  },
  {
    why: "a second assertion has no test of its own",
    piece: simplePiece("loud", { shows: ["A1: test/loud.test.js > plain: loud", "A2: test/trim.test.js > plain: trim"] }),
    plan: (plan) => ({
      ...plan,
      assertions: [...plan.assertions, { id: "A2", text: "and more", from: "user", shown_by: "test" }],
      nodes: plan.nodes.map((node) => ({ ...node, assertions: ["A1", "A2"] })),
    }),
  },
];

export const IMPOSSIBLE: readonly Impossible[] = [...OTHERS, ...COMMANDS, ...CONTRADICTIONS];

/** How it ends, and whether the folder holds it as if it were done. */
export async function endOf({ piece, plan = (same) => same }: Impossible): Promise<{ status: string; looksDone: boolean }> {
  const project = teamProject(plan(planOf([piece])), [piece]);
  const app = await openApp({
    cwd: project.dir,
    env: { ...project.env, SYLK_TEAM_ATTEMPTS: "1", SYLK_TEAM_REPAIRS: "0" },
    clock: systemClock,
  });
  const { id } = await app.api.send({ type: "request.start", options: project.options() });
  const end = await app.api.send({ type: "request.run", id });
  const files = filesOf(project.dir);
  await app.close();
  const looksDone = files["src/trim.js"] !== FILES["src/trim.js"] || (end.status !== "not_shown" && "src/loud.js" in files);
  return { status: end.status, looksDone };
}
