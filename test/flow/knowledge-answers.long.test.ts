/** `knowledge-answers.test.ts` goes on here with what takes longer. */
import { expect, test } from "vitest";
import { signal, project, answer } from "./knowledge-answers.ts";

test("SRC-024: no model, a failing model and a nonsensical one leave the plain order, and say so", async () => {
  const request = { text: "session cookie", domain: "code" as const, k: 3, signal };
  for (const [rules, said] of [
    [undefined, "no model is configured"],
    [[{ when: { purpose: "rerank" }, answer: { error: { status: 500, message: "down" } } }], "reranking failed"],
    [[answer("rerank", "I would rather not")], "reranking failed"],
  ] as const) {
    const { app } = await project(rules as unknown[] | undefined);
    const plain = await app.knowledge.search(request);
    const ranked = await app.knowledge.search({ ...request, rerank: true });
    expect(ranked.hits).toEqual(plain.hits);
    expect(ranked.warnings).toEqual([expect.stringMatching(new RegExp(`${said}.*plain order stands`, "u"))]);
  }
});
