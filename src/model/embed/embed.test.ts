import { expect, test } from "vitest";
import { modelRequest, never, openTestGate, openTestStore } from "../../../test/support/model-gate.ts";
import { startWireServer } from "../../../test/support/wire-server/wire-server.ts";
import { LEXICAL_DIMENSIONS, lexicalVector } from "../lexical/index.ts";

const { model: _model, system: _system, user: _user, tools: _tools, maxOutputTokens: _max, ...facts } = modelRequest();
const cosine = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);

test("the built-in vectors have length one, do not change, and bring related texts near each other", () => {
  const vector = lexicalVector("parseHttpRequest reads the request headers");
  expect(vector).toHaveLength(LEXICAL_DIMENSIONS);
  expect(cosine(vector, vector)).toBeCloseTo(1, 5);
  expect(lexicalVector("parseHttpRequest reads the request headers")).toEqual(vector);
  const query = lexicalVector("where do we parse http requests?");
  const related = lexicalVector("export function parseHTTPRequest(raw: string): HttpRequest { return readHeaders(raw); }");
  const other = lexicalVector("The budget is settled after every call and the rest is given back.");
  expect(cosine(query, related)).toBeGreaterThan(cosine(query, other) + 0.15);
  expect(cosine(lexicalVector("user_account_id"), lexicalVector("userAccountId"))).toBeGreaterThan(0.5);
  expect([...lexicalVector("")].every((value) => value === 0)).toBe(true);
});

test("embeddings need no provider unless one is configured", async () => {
  const result = await openTestGate({}).embed({ ...facts, texts: ["one", "two"] }, never);
  expect(result).toMatchObject({ kind: "ok", model: "builtin/lexical", dimensions: 384 });
  expect(result.kind === "ok" && result.vectors).toHaveLength(2);
});

test.each([
  ["openai", "/v1"],
  ["google", "/v1beta"],
  ["compatible", "/v1"],
])("a %s model embeds in order, in batches, and its tokens are recorded", async (kind, base) => {
  await using server = await startWireServer(() => ({}));
  const store = await openTestStore();
  const gate = openTestGate({
    config: { embedding_model: "e/small", providers: { e: { kind, base_url: `${server.url}${base}` } } } as never,
    options: { project: store },
  });
  const texts = Array.from({ length: 100 }, (_, i) => "x".repeat(i + 1));
  const result = await gate.embed({ ...facts, texts }, never);
  expect(result.kind === "ok" && result.vectors.map((vector) => vector[0])).toEqual(texts.map((text) => text.length));
  await gate.usageWritten();
  const records = await store.journal.read("usage/s1");
  expect(records).toHaveLength(2);
  expect(records[0]?.payload).toMatchObject({ outcome: "ok", model: "small", output_tokens: 0 });
});

test("a provider without embeddings says so", async () => {
  const gate = openTestGate({ config: { providers: { a: { kind: "anthropic", base_url: "http://127.0.0.1:9999" } } } });
  expect(await gate.embed({ ...facts, texts: ["x"], model: "a/m" }, never)).toMatchObject({
    kind: "failed",
    error: { code: "MODEL_NO_EMBEDDINGS", fix: expect.stringContaining("builtin/lexical") },
  });
});
