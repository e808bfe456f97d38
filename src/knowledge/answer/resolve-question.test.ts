import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { knowledgeProject } from "../../../test/support/knowledge-project.ts";
import { systemClock } from "../../kernel/index.ts";
import { openKnowledge } from "../open-knowledge.ts";
import type { Question } from "./resolve-question.ts";

const countTokens = (text: string): number => Math.ceil(text.length / 4);
const files = {
  "src/session.ts": "/** Brings a session back from its cookie. */\nexport const session = 1;\n",
  "src/cookie.ts": "/** Reads the session cookie. */\nexport const cookie = 1;\n",
};

test("~SRC-021 SRC-022: an answer is kept for its model, its number of sources and its budget alone", async () => {
  const { root } = knowledgeProject(files);
  let model = "p/one";
  const asked: string[] = [];
  const knowledge = openKnowledge({
    root,
    file: path.join(root, ".sylk", "knowledge.db"),
    clock: systemClock,
    threads: 1,
    redact: (text) => text,
    models: {
      embedder: () => undefined,
      reranker: () => undefined,
      evaluator: () => undefined,
      answerer: () => ({
        model,
        async answer() {
          asked.push(model);
          return { kind: "ok", text: "From its cookie [1].", tokens: 1 };
        },
      }),
    },
  });
  onTestFinished(async () => knowledge[Symbol.asyncDispose]());
  await knowledge.index();
  const layer = async (more: Partial<Question> = {}): Promise<string> => {
    const question = { text: "how does a session come from a cookie?", model: "always" as const, signal: new AbortController().signal };
    return (await knowledge.resolve({ ...question, ...more }, countTokens)).layer;
  };
  expect([await layer(), await layer(), await layer({ k: 1 }), await layer({ maxTokens: 200 })]).toEqual([
    "model",
    "cache",
    "model",
    "model",
  ]);
  model = "p/two";
  expect([await layer(), await layer({ text: "how does a cookie come from a session?" }), await layer()]).toEqual([
    "model",
    "model",
    "cache",
  ]);
  expect(asked).toEqual(["p/one", "p/one", "p/one", "p/two", "p/two"]);
});

test("MEM-040: packed context is kept for the number of hits it was asked with", async () => {
  const { knowledge } = knowledgeProject(files);
  await knowledge.index();
  const ask = (k: number) => knowledge.context({ text: "session cookie", domain: "code", k, countTokens });
  expect((await ask(1)).sources).toHaveLength(1);
  expect((await ask(2)).sources).toHaveLength(2);
  expect(knowledge.status().cache).toMatchObject({ hits: 0, misses: 2 });
});
