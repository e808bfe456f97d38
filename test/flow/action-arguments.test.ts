/** Every action a model can be offered, by every shipped type of task and role: what it is given is checked before it runs. */
import { expect, test } from "vitest";
import { z } from "zod";
import { createLoadSkillAction } from "../../src/forge/load-skill-action.ts";
import { createFlowExtension } from "../../src/flow/index.ts";
import type { ModelResult } from "../../src/model/index.ts";
import type { Action } from "../../src/step/actions/action.ts";
import { endActions } from "../../src/step/actions/end-actions.ts";
import { memoryActions } from "../../src/step/actions/memory-actions.ts";
import { readActions } from "../../src/step/actions/read-actions.ts";
import { runActions } from "../../src/step/actions/run-actions.ts";
import { runTests } from "../../src/step/actions/run-tests.ts";
import { writeActions } from "../../src/step/actions/write-actions.ts";
import { createCodeIntelligence } from "../../src/step/extensions/code-intelligence.ts";
import { createKnowledgeActions, createReproduction } from "../../src/step/extensions/index.ts";
import { parseAnswer } from "../../src/step/parse-answer.ts";
import { createTeamExtension } from "../../src/team/index.ts";

/** What they would do is not asked for here; only what they take. */
const unused = {} as never;

const ALL: readonly Action[] = [
  ...readActions,
  ...memoryActions,
  ...writeActions,
  ...runActions,
  runTests,
  ...endActions,
  ...(createFlowExtension(unused).actions ?? []),
  ...(createTeamExtension(unused).actions ?? []),
  ...(createReproduction().actions ?? []),
  ...(createCodeIntelligence(unused).actions ?? []),
  createLoadSkillAction(
    () => unused,
    (text) => text,
  ),
  ...createKnowledgeActions({ knowledge: unused, root: ".", redact: (text) => text }),
];

/** What the model hears when it calls an action with these arguments; undefined: they are taken. */
function said(action: Action, input: Record<string, unknown>): string | undefined {
  const answer = {
    kind: "ok",
    text: "",
    stopReason: "tool_use",
    toolCalls: [{ id: "1", name: action.name, raw: JSON.stringify(input), input }],
  };
  const parsed = parseAnswer(answer as unknown as Extract<ModelResult, { kind: "ok" }>, {
    find: (name) => (name === action.name ? action : undefined),
    allowed: [action.name],
    maxReads: 5,
  });
  return parsed.kind === "invalid" ? parsed.reason : undefined;
}

interface Field {
  enum?: unknown[];
  default?: unknown;
}

/** One thing that was tried with an action, and whether what was heard is what should be. */
interface Tried {
  what: "required" | "choice" | "default";
  field: string;
  heard: string | undefined;
  right: boolean;
}

function triedOf(action: Action): Tried[] {
  const { required = [], properties = {} } = z.toJSONSchema(action.schema, { io: "input" });
  const fields = Object.entries(properties as Record<string, Field>);
  const names = (heard: string | undefined, field: string): boolean =>
    new RegExp(`^${action.name}: (.*; )?${field}: `, "u").test(heard ?? "");
  const bare = said(action, {});
  const shape: Record<string, z.ZodType> = action.schema instanceof z.ZodObject ? action.schema.shape : {};
  return [
    ...required.map((field): Tried => ({ what: "required", field, heard: bare, right: names(bare, field) })),
    ...fields.flatMap(([field, { enum: words }]): Tried[] => {
      if (words === undefined) return [];
      const heard = said(action, { [field]: "no such word" });
      return [
        { what: "choice", field, heard, right: names(heard, field) && words.every((word) => heard?.includes(String(word)) === true) },
      ];
    }),
    ...fields.flatMap(([field, { default: value }]): Tried[] => {
      if (value === undefined || shape[field] === undefined) return [];
      const isGiven = JSON.stringify(shape[field].parse(undefined)) === JSON.stringify(value);
      return [{ what: "default", field, heard: bare, right: isGiven && !names(bare, field) }];
    }),
  ];
}

test("SKL-006: a missing field and a word that is none of those to choose from are refused by the field's name, before the action runs; what has a default needs not be said", () => {
  expect(new Set(ALL.map(({ name }) => name)).size).toBe(ALL.length);
  expect(ALL.length).toBeGreaterThan(40);
  const tried = ALL.flatMap((action) => triedOf(action).map((one) => ({ action: action.name, ...one })));
  expect(tried.filter(({ right }) => !right)).toEqual([]);
  const count = (what: Tried["what"]): number => tried.filter((one) => one.what === what).length;
  expect([count("required") > 40, count("choice") > 5, count("default") > 10]).toEqual([true, true, true]);
});
