/** Many steps on a project with monstrous files: every request stays within its bound. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { stringify } from "yaml";
import { expect } from "vitest";
import { countRequestTokens } from "../../src/model/tokens/count-tokens.ts";
import { scriptedProject } from "../support/scripted-project.ts";

const GOAL = "Make every counter in counters.txt end in 7, and keep the file sorted. Do not touch generated/.";
const RULES_TEXT = "Never rename a counter.\nKeep lines shorter than 80 characters.";

const COUNTERS = 60;
const counterName = (at: number): string => `counter_${String(at).padStart(2, "0")}`;

type Call = { name: string; input: unknown };

/**
 * Reads, edits, fails, recovers; nothing in it depends on what came back. No line is written a second time: three tries
 * at the same place would rightly end it.
 */
function callsOf(step: number, last: number): Call[] {
  if (step >= last) return [{ name: "escalate", input: { reason: "these steps are enough" } }];
  const turn: Call[][] = [
    [{ name: "read_file", input: { path: "generated/huge.txt", from: step * 997 } }],
    [
      {
        name: "edit_file",
        input: {
          path: "counters.txt",
          find: `${counterName(Math.floor(step / 10))} = `,
          replace: `${counterName(Math.floor(step / 10))} = ${step}`,
        },
      },
    ],
    [
      { name: "search", input: { pattern: "line" } },
      { name: "read_file", input: { path: "many/**" } },
      { name: "read_file", input: { path: "counters.txt" } },
    ],
    [{ name: "run_command", input: { command: "cat generated/error.log" } }],
    [{ name: "write_file", input: { path: `out/${step}.txt`, content: `${"word ".repeat(step * 3)}\n` } }],
    [{ name: "edit_file", input: { path: "counters.txt", find: "this text is not there", replace: "x" } }],
    [{ name: "load_context", input: { item: "error_details" } }],
    [{ name: "note_fact", input: { subject: `subject ${step % 50}`, fact: `seen at step ${step}: ${"detail ".repeat(30)}` } }],
    [{ name: "read_file", input: { path: "missing/file.txt" } }],
    [{ name: "multi_edit", input: { edits: [{ path: "counters.txt", find: "# end", replace: `# ${step}\n# end` }] } }],
  ];
  return turn[step % turn.length] as Call[];
}

export interface Monsters {
  steps: number;
  hugeLines: number;
  logLines: number;
  files: number;
}

export async function runBoundedSteps({ steps: STEPS, hugeLines, logLines, files }: Monsters): Promise<void> {
  const rules = stringify({
    rules: Array.from({ length: STEPS }, (_v, i) => ({
      when: { step: i + 1 },
      answer: { text: `thinking about step ${i + 1}`, tool_calls: callsOf(i + 1, STEPS) },
    })),
  });
  const counters = `${Array.from({ length: COUNTERS }, (_v, i) => `${counterName(i)} = 1`).join("\n")}\n# end\n`;
  const project = scriptedProject(
    {
      "counters.txt": counters,
      "AGENTS.md": RULES_TEXT,
      "check.mjs":
        "for (let i = 0; i < 400; i += 1) console.log('error: counter', i, 'is wrong at counters.txt:' + i);\nprocess.exit(1);\n",
      "generated/.keep": "",
      "many/.keep": "",
    },
    rules,
  );
  writeFileSync(
    path.join(project.dir, "generated/huge.txt"),
    Array.from({ length: hugeLines }, (_v, i) => `line ${i} of a generated file`).join("\n"),
  );
  writeFileSync(
    path.join(project.dir, "generated/error.log"),
    "error: something broke at src/file.ts:10:3 and here is a long explanation of it\n".repeat(logLines),
  );
  for (let i = 0; i < files; i += 1) writeFileSync(path.join(project.dir, `many/item-${i}.txt`), `line ${i}\n`);

  const app = await project.open();
  const id = await app.tasks.start({
    goal: GOAL,
    type: "implement_feature",
    role: "engineer",
    criteria: ["every counter ends in 7"],
    constraints: ["do not touch generated/"],
    checks: ["node check.mjs"],
    model: project.rules,
    profile: "minimal",
    maxSteps: 250,
  });
  const end = await app.tasks.run(id, () => undefined, new AbortController().signal);
  expect(end).toMatchObject({ status: "escalated", step: STEPS });

  const counts: number[] = [];
  let lastPrefix: { phase: string; prefix: string } | undefined;

  for (let step = 1; step <= STEPS; step += 1) {
    const seen = await app.tasks.context(id, step);
    const tokens = countRequestTokens({
      system: seen.system,
      user: seen.user,
      tools: seen.tools as unknown as Parameters<typeof countRequestTokens>[0]["tools"],
    });
    counts.push(tokens);

    for (const pinned of [GOAL, RULES_TEXT, "every counter ends in 7", "do not touch generated/"])
      if (!seen.user.includes(pinned)) throw new Error(`step ${step} lost: ${pinned}`);
    const frame = seen.user.slice(0, seen.user.indexOf("\n# "));
    const prefix = seen.system + JSON.stringify(seen.tools) + frame;
    if (lastPrefix !== undefined && lastPrefix.phase === seen.system && lastPrefix.prefix !== prefix)
      throw new Error(`the prefix changed at step ${step}`);
    lastPrefix = { phase: seen.system, prefix };
  }
  await app.close();

  expect(Math.max(...counts)).toBeLessThanOrEqual(8_000);
  const middle = (list: number[]): number => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
  const [early, late] = [middle(counts.slice(0, 10)), middle(counts.slice(-10))];
  expect(Math.abs(late - early) / early).toBeLessThanOrEqual(0.1);
}
