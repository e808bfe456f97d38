/** Reranking and answers with a scripted model, through the app and the gate. */
import { expect, test } from "vitest";
import { type App } from "../support/lab.ts";
import { writeIn } from "../support/knowledge-project.ts";
import { agentActor } from "../../src/protocol/events/index.ts";
import { signal, FILES, project, answer } from "./knowledge-answers.ts";

test("a model puts the best in order only when asked, and what it leaves out stays below", async () => {
  const { app, calls } = await project([answer("rerank", '{"order": [2]}')]);
  const request = { text: "session cookie", domain: "code" as const, k: 3, signal };
  const plain = await app.knowledge.search(request);
  await expect.poll(calls).toBe(0);
  const ranked = await app.knowledge.search({ ...request, rerank: true });
  await expect.poll(calls).toBe(1);
  expect(ranked.warnings).toEqual([]);
  expect(ranked.hits.map((hit) => hit.path)).toEqual([1, 0].map((i) => plain.hits[i]?.path));
  expect(ranked.hits.map((hit) => hit.score)).toEqual(plain.hits.map((hit) => hit.score));
  expect(ranked.hits[0]?.why).toContain("put higher by a model");
});

test("~SRC-020 ~SRC-023: a question for a place is answered by the graph, then from the cache, with no model", async () => {
  const { app, calls, root } = await project([answer("answer", "unwanted")], { knowledge: { answer_with_model: "when_unsure" } });
  const ask = () => app.knowledge.ask({ text: "where is resumeSession defined?", domain: "code", signal });
  const first = await ask();
  expect(first).toMatchObject({ layer: "graph", tokens: 0, sources: expect.any(Array) });
  expect(first.sources[0]).toMatchObject({ n: 1, path: "src/session.ts", trust: 100 });
  expect(first.text).toContain("[1] src/session.ts");
  expect(await ask()).toMatchObject({ layer: "cache", text: first.text });
  await expect.poll(calls).toBe(0);
  writeIn(root, "src/session.ts", `${FILES["src/session.ts"]}export const more = 1;\n`);
  await app.knowledge.refresh({ signal });
  expect(await ask()).toMatchObject({ layer: "graph" });
});

test("~SRC-021 SRC-022 ~MIT-062 KNO-058: what wants an explanation goes to a model; a cited answer is kept with its sources", async () => {
  const { app, calls } = await project([answer("answer", "A session comes back from its cookie [1].")], {
    knowledge: { answer_with_model: "when_unsure" },
  });
  const ask = () => app.knowledge.ask({ text: "how does a session resume from a cookie?", domain: "code", signal });
  const first = await ask();
  expect(first).toMatchObject({ layer: "model", cited: [1], inferences: [], warnings: [] });
  expect(first.tokens).toBeGreaterThan(0);
  expect(first.sources[0]?.id).toMatch(/^src\//u);
  expect(await ask()).toMatchObject({ layer: "cache", text: first.text, tokens: 0 });
  await expect.poll(calls).toBe(1);
});

test("SRC-022: an answer without citation, or one that infers, is given but not kept", async () => {
  for (const [text, warning] of [
    ["Somewhere, surely.", "the answer cites no source"],
    ["By cookie [1]. [INFERENCE] perhaps also by header", undefined],
  ] as const) {
    const { app, calls } = await project([answer("answer", text)]);
    const ask = () => app.knowledge.ask({ text: "how does a session resume?", domain: "code", model: "always", signal });
    const first = await ask();
    expect(first).toMatchObject({ layer: "model", warnings: warning === undefined ? [] : [warning] });
    expect((await ask()).layer).toBe("model");
    await expect.poll(calls).toBe(2);
  }
});

test("SRC-024: without a model, and when it fails, the sources are the answer with a note; nothing known is said to be nothing", async () => {
  const none = await project(undefined);
  const ask = (app: App, text: string) => app.knowledge.ask({ text, domain: "code", model: "always", signal });
  expect(await ask(none.app, "how does a session resume?")).toMatchObject({
    layer: "graph",
    warnings: [expect.stringContaining("no model is configured")],
  });
  expect(await ask(none.app, "zzzqqq")).toMatchObject({ layer: "none", text: "", sources: [], tokens: 0 });
  const failing = await project([{ when: { purpose: "answer" }, answer: { error: { status: 500, message: "down" } } }]);
  expect(await ask(failing.app, "how does a session resume?")).toMatchObject({
    layer: "graph",
    warnings: [expect.stringContaining("the model failed")],
  });
});

test("~KNO-060 KNO-061: a look whose findings are not enough is followed by one with better words; each thing is kept once", async () => {
  const verdict = (value: Record<string, unknown>): string =>
    JSON.stringify({ confidence: 0.2, sufficient: false, refined_query: "", ...value });
  const { app, root, calls } = await project([
    {
      when: { purpose: "evaluate", text: "Kept so far.*alpha" },
      answer: { text: verdict({ sufficient: true, confidence: 0.9, selected: [1, 1, 7] }) },
    },
    { when: { purpose: "evaluate" }, answer: { text: verdict({ selected: [1], refined_query: "zephyr" }) } },
    answer("answer", "Fifteen minutes [2]."),
  ]);
  writeIn(root, "docs/alpha.md", "# Lifetimes\n\nTicket lifetimes follow the rule of the west wind.\n");
  writeIn(root, "docs/beta.md", "# Zephyr\n\nZephyr means fifteen minutes.\n");
  await app.knowledge.refresh({ signal });
  const ask = (lookFurther: boolean) =>
    app.knowledge.ask({ text: "ticket lifetimes", domain: "docs", k: 1, model: "always", lookFurther, signal });
  expect((await ask(false)).sources.map((one) => one.path)).toEqual(["docs/alpha.md"]);
  await expect.poll(calls).toBe(1);
  const further = await ask(true);
  expect(further.sources.map((one) => one.path ?? "").toSorted()).toEqual(["docs/alpha.md", "docs/beta.md"]);
  expect(further).toMatchObject({ layer: "model", text: "Fifteen minutes [2]." });
  await expect.poll(calls).toBe(4);
});

test("KNO-061: a judgement that fails leaves what was found, and says so; better words that repeat end it", async () => {
  const failing = await project([
    { when: { purpose: "evaluate" }, answer: { error: { status: 500, message: "down" } } },
    answer("answer", "By cookie [1]."),
  ]);
  const ask = (app: App) => app.knowledge.ask({ text: "session cookie", domain: "code", model: "always", lookFurther: true, signal });
  const answered = await ask(failing.app);
  expect(answered.sources.length).toBeGreaterThan(0);
  expect(answered.warnings.join()).toContain("looking further failed");
  const repeating = await project([
    {
      when: { purpose: "evaluate" },
      answer: { text: JSON.stringify({ sufficient: false, confidence: 0, refined_query: "session cookie", selected: [1] }) },
    },
    answer("answer", "By cookie [1]."),
  ]);
  expect((await ask(repeating.app)).sources).toHaveLength(1);
  await expect.poll(repeating.calls).toBe(2);
});

test("MIT-060 MIT-061: a model is told how to trust and cite; it sees contradictions, then fenced sources, then the question", async () => {
  const { app } = await project([
    {
      when: {
        purpose: "answer",
        system: "square brackets.*code wins.*\\[INFERENCE\\].*current code 100.*last month 60",
        text: "Contradictions found:\\n.*Semantic Contradiction.*\\[1\\].*<source>.*</source>.*<question>.*Cite",
      },
      answer: { text: "Kafka, it seems [1]." },
    },
    answer("answer", "put together wrongly"),
  ]);
  for (const [id, thing] of [
    ["k1", "Kafka"],
    ["k2", "RabbitMQ"],
  ] as const)
    await app.knowledge.storeSummary(
      {
        id,
        content: `The billing worker uses ${thing} for the invoice events.`,
        summary_type: "decision",
        session_id: "s",
        code_references: [],
        tags: [],
        agent: "architect",
        task_id: null,
        resolved: null,
      },
      agentActor("architect"),
    );
  const answered = await app.knowledge.ask({ text: "billing worker invoice events", domain: "history", model: "always", signal });
  expect(answered).toMatchObject({ layer: "model", text: "Kafka, it seems [1]." });
  expect(answered.conflicts.map((one) => one.type)).toContain("semantic");
});
