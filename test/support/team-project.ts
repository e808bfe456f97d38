/** A small real project, and a scripted team that works on it: a plan, and for each piece its tests and its work. */
import { stringify } from "yaml";
import type { Draft } from "../../src/flow/intent.ts";
import type { Input } from "../../src/protocol/api/index.ts";
import { gitIn } from "./knowledge-project.ts";
import { scriptedProject, type ScriptedProject } from "./scripted-project.ts";

type Call = { name: string; input: unknown };

/** A piece of work whose title is the name of a function that it adds. */
export interface TeamPiece {
  name: string;
  after?: string[];
  /** Files of tests the builder sees and of those it does not: what each expects of the function. */
  visible?: Record<string, string>;
  hidden?: Record<string, string>;
  /** What the builder writes, one entry for each attempt; the last one stays. */
  builds: Record<string, string>[];
  /** What the reviewer finds, one entry for each attempt; nothing when absent. */
  finds?: unknown[][];
  /** What the builder does instead of ending. */
  ends?: Call;
  /** Which test the Tester names for which assertion. */
  shows?: string[];
  /** What the Tester does after it wrote the tests and before it hands them in. */
  tries?: Call[];
}

export const testOf = (file: string, name: string, from: string, body: string): string =>
  `import { test } from "node:test";\nimport assert from "node:assert/strict";\nimport { ${name} } from "${from}";\ntest("${file}: ${name}", () => { ${body} });\n`;

/** In one process: it is run some twenty times in a request. */
export const SUITE = "node --test --test-isolation=none";

export const FILES = {
  "package.json": `{ "name": "words", "type": "module", "scripts": { "test": "${SUITE}" } }\n`,
  "src/trim.js": "export const trim = (text) => text.trim();\n",
  "test/trim.test.js": testOf("plain", "trim", "../src/trim.js", `assert.equal(trim(" a "), "a")`),
};

const write = (path: string, content: string): Call => ({ name: "write_file", input: { path, content } });
const answer = (...calls: Call[]): unknown => ({ text: "as said", tool_calls: calls });

export function planOf(pieces: readonly TeamPiece[]): Draft {
  return {
    summary: `add ${pieces.map((piece) => piece.name).join(", ")}`,
    assertions: pieces.map((piece, index) => ({
      id: `A${index + 1}`,
      text: `${piece.name} does what was asked for`,
      from: "user",
      shown_by: "test",
    })),
    nodes: pieces.map((piece, index) => ({
      id: `n${index + 1}`,
      title: piece.name,
      goal: `add ${piece.name}`,
      assertions: [`A${index + 1}`],
      after: piece.after ?? [],
      files: Object.keys({ ...piece.visible, ...piece.hidden, ...piece.builds[0] }),
    })),
    deferred: [],
  };
}

/** Rules by what a request holds: whose part it is, which attempt, which step. */
export function teamRules(plan: Draft, pieces: readonly TeamPiece[], more: readonly unknown[] = []): string {
  const rules: unknown[] = [...more, { when: { role: "architect" }, answer: answer({ name: "submit_plan", input: plan }) }];
  rules.push({
    when: { role: "guide" },
    answer: answer({ name: "classify", input: { kind: "plan", confidence: 0.9, reading: plan.summary } }),
  });
  for (const { name, visible = {}, hidden = {}, builds, finds = [], ends, shows, tries = [] } of pieces) {
    const part = `your part of it:\\n${name}\\n`;
    const tests = Object.entries({ ...visible, ...hidden });
    tests.forEach(([path, text], index) =>
      rules.push({ when: { role: "tester", text: part, step: index + 1 }, answer: answer(write(path, text)) }),
    );
    tries.forEach((call, index) =>
      rules.push({ when: { role: "tester", text: part, step: tests.length + index + 1 }, answer: answer(call) }),
    );
    rules.push({
      when: { role: "tester", text: part },
      answer: answer({
        name: "complete",
        input: { summary: `tests of ${name}`, held_out: Object.keys(hidden), ...(shows === undefined ? {} : { shows }) },
      }),
    });
    builds.toReversed().forEach((build, index) => {
      const attempt = builds.length - index;
      const text = attempt === 1 ? part : `^(?=.*what happened before).*${part}`;
      Object.entries(build).forEach(([path, content], step) =>
        rules.push({ when: { role: "engineer", text, step: step + 1 }, answer: answer(write(path, content)) }),
      );
    });
    rules.push({
      when: { role: "engineer", text: part },
      answer: answer(ends ?? { name: "complete", input: { summary: `built ${name}` } }),
    });
    if (finds.length > 0)
      rules.push({
        when: { role: "inspector", text: part },
        answer: answer({ name: "submit_review", input: { summary: "looked", findings: finds[0] } }),
      });
  }
  rules.push({ when: { role: "inspector" }, answer: answer({ name: "submit_review", input: { summary: "fine", findings: [] } }) });
  return stringify({ rules });
}

/** One function, its test and, where wanted, one that is held out. */
export function simplePiece(name: string, more: Partial<TeamPiece> = {}): TeamPiece {
  const from = `../src/${name}.js`;
  return {
    name,
    visible: { [`test/${name}.test.js`]: testOf("plain", name, from, `assert.equal(${name}("a"), "${name} a")`) },
    builds: [{ [`src/${name}.js`]: `export const ${name} = (text) => \`${name} \${text}\`;\n` }],
    ...more,
  };
}

export interface TeamProject extends ScriptedProject {
  options(more?: Partial<Input<"request.start">["options"]>): Input<"request.start">["options"];
}

export function teamProject(
  plan: Draft,
  pieces: readonly TeamPiece[],
  files: Record<string, string> = {},
  more: readonly unknown[] = [],
): TeamProject {
  const project = scriptedProject({ ...FILES, ...files }, teamRules(plan, pieces, more));
  gitIn(project.dir, "add", "-A");
  gitIn(project.dir, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "start");
  return {
    ...project,
    options: (given = {}) => ({
      words: "add the functions, and never touch trim",
      constraints: ["no new dependencies"],
      criteria: [],
      checks: [SUITE],
      approve: "auto",
      mode: "team",
      model: project.rules,
      profile: "default",
      ...given,
    }),
  };
}
