/** Knowledge with a provider's vectors, through the app and the gate, against a loopback server. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openApp, type App } from "../support/lab.ts";
import { systemClock } from "../../src/kernel/index.ts";
import { startEmbeddingServer, type EmbeddingServer } from "../support/embedding-server.ts";
import { gitIn, writeIn } from "../support/knowledge-project.ts";
import { tempDir } from "../support/temp.ts";

const signal = new AbortController().signal;
const parts = (n: number): string[] =>
  Array.from({ length: n }, (_, i) => `## Part ${i}\n\n${`Words of part ${i}. `.repeat(8)}\n\nmore\n\nand more\n\nto the end\n`);

const FILES = {
  "src/kennel.ts": "/** The puppy dog cat animal register. */\nexport const kennel = ['puppy', 'dog', 'cat'];\n",
  "src/ledger.ts": "/** Every invoice and bill and charge. */\nexport const ledger = ['invoice', 'bill', 'charge'];\n",
  "src/colour.ts": "/** Red and blue. */\nexport const colour = ['red', 'blue'];\n",
  "docs/paper.md": `# Paper\n\n${parts(9).join("\n")}`,
};

interface Opened {
  app: App;
  root: string;
  /** The same project in a new process's place, perhaps with another model. */
  reopen(model?: string): Promise<App>;
}

async function project(server: EmbeddingServer, model = "e/small"): Promise<Opened> {
  const root = tempDir("sylk-embed");
  const home = tempDir("sylk-home");
  gitIn(root, "init", "-q", "-b", "main");
  for (const [file, text] of Object.entries(FILES)) writeIn(root, file, text);
  const open = async (wanted: string): Promise<App> => {
    mkdirSync(home, { recursive: true });
    writeFileSync(
      path.join(home, "config.yaml"),
      `llm:\n  embedding_model: ${wanted}\n  retry:\n    transient: { max_attempts: 1, initial_delay: 1ms, max_delay: 1ms }\n    external_degrading: { max_attempts: 1, initial_delay: 1ms, max_delay: 1ms }\n  providers:\n    e: { kind: compatible, base_url: "${server.url}" }\n`,
    );
    const app = await openApp({ cwd: root, env: { PATH: process.env["PATH"], HOME: home, SYLK_HOME: home }, clock: systemClock });
    onTestFinished(async () => app.close());
    return app;
  };
  const app = await open(model);
  return { app, root, reopen: (next = model) => open(next) };
}

const texts = (server: EmbeddingServer): number => server.calls.reduce((sum, call) => sum + call.length, 0);

test("SRC-090 ~VGD-043 VGD-064: a question in other words finds its file by a provider's vectors; status names model, length and count", async () => {
  await using server = await startEmbeddingServer();
  const { app } = await project(server);
  await app.knowledge.index({ signal });
  const status = app.knowledge.status();
  expect(status.embeddings).toEqual({
    model: "e/small",
    dimensions: 32,
    embedded: status.chunks,
    pending: 0,
    inUse: true,
    trouble: undefined,
  });
  expect(status.vectors).toEqual({ model: "e/small", dimensions: 32, count: status.chunks });
  const found = await app.knowledge.search({ text: "debt payment money", domain: "code", k: 3 });
  expect(found.warnings).toEqual([]);
  expect(found.hits[0]).toMatchObject({ path: "src/ledger.ts" });
  expect(found.hits[0]?.why.join()).toContain("similar");
  // Words and meaning together.
  const both = await app.knowledge.search({ text: "ledger payment", domain: "code", k: 1 });
  expect(both.hits[0]?.why.join()).toMatch(/text .*similar|similar .*text/u);
  // Neither a word nor a meaning.
  expect((await app.knowledge.search({ text: "zzzqqq", domain: "code" })).hits).toEqual([]);
});

test("~VGD-040 ING-004 ING-007: what was embedded is not embedded again; one changed section is one text", async () => {
  await using server = await startEmbeddingServer();
  const { app, root } = await project(server);
  await app.knowledge.index({ signal });
  const first = texts(server);
  await app.knowledge.index({ signal });
  expect(texts(server)).toBe(first);
  const changed = parts(9);
  changed[4] = changed[4]?.replace("Words of part 4.", "Other words here.") ?? "";
  writeIn(root, "docs/paper.md", `# Paper\n\n${changed.join("\n")}`);
  await app.knowledge.index({ signal });
  expect(texts(server)).toBe(first + 1);
  expect(server.calls.at(-1)?.[0]).toContain("Other words here.");
  expect(app.knowledge.status().embeddings).toMatchObject({ pending: 0, embedded: first });
});

test("VGD-064: another model, or vectors of another length, embed everything anew and are never mixed", async () => {
  await using server = await startEmbeddingServer();
  const { app, reopen, root } = await project(server);
  await app.knowledge.index({ signal });
  const all = app.knowledge.status().chunks;
  await app.close();
  const other = await reopen("e/large");
  expect(other.knowledge.status()).toMatchObject({ vectors: { model: "builtin/words-1" }, embeddings: { inUse: false, pending: all } });
  const before = await other.knowledge.search({ text: "debt payment", domain: "code" });
  expect(before.warnings.join()).toContain("answered with the built-in vectors");
  await other.knowledge.index({ signal });
  expect(texts(server)).toBe(2 * all);
  expect(other.knowledge.status().vectors).toEqual({ model: "e/large", dimensions: 32, count: all });
  server.dimensions = 24;
  expect((await other.knowledge.search({ text: "forecast", domain: "code" })).warnings.join()).toContain("24 numbers instead of 32");
  writeIn(root, "src/new.ts", "export const storm = 'rain';\n");
  await other.knowledge.index({ signal });
  expect(other.knowledge.status().vectors).toEqual({ model: "e/large", dimensions: 24, count: all + 1 });
});

test("VGD-064: a process that still embeds with the model before brings nothing into the table of the new one, and says that it stopped", async () => {
  await using server = await startEmbeddingServer();
  const { app: old, root, reopen } = await project(server);
  writeIn(root, "docs/long.md", `# Long\n\n${parts(300).join("\n")}`);
  const next = await reopen("e/large");
  let calls = 0;
  server.before = async (model) => {
    if (model !== "small" || (calls += 1) !== 2) return;
    // The old one waits for its second answer while the new one takes the table and fills a part of it.
    await next.knowledge.refresh({ signal });
  };
  await old.knowledge.index({ signal });
  expect(old.knowledge.status().embeddings).toMatchObject({
    model: "e/small",
    embedded: 0,
    inUse: false,
    trouble: "stopped embedding with e/small: the index now holds vectors of e/large with 32 numbers",
  });
  expect(next.knowledge.status().embeddings).toMatchObject({ model: "e/large", embedded: 192, trouble: undefined });
  // Every text is the new model's own.
  await next.knowledge.index({ signal });
  const { chunks, embeddings } = next.knowledge.status();
  expect(embeddings).toMatchObject({ embedded: chunks, pending: 0, inUse: true });
  expect(texts(server)).toBe(2 * 96 + chunks);
});

test("SRC-024 ~ING-006: a provider that fails leaves what is there; questions fall back, and status says why", async () => {
  await using server = await startEmbeddingServer();
  const { app, root } = await project(server);
  server.failWith = 500;
  await app.knowledge.index({ signal });
  expect(app.knowledge.status()).toMatchObject({
    vectors: { model: "builtin/words-1" },
    embeddings: { inUse: false, embedded: 0, trouble: expect.stringContaining("no embeddings today") },
  });
  const fallen = await app.knowledge.search({ text: "invoice", domain: "code" });
  expect(fallen.hits[0]).toMatchObject({ path: "src/ledger.ts" });
  expect(fallen.warnings).toEqual([expect.stringMatching(/e\/small failed: .*built-in vectors/u)]);
  server.failWith = undefined;
  await app.knowledge.index({ signal });
  expect(app.knowledge.status().embeddings).toMatchObject({ inUse: true, trouble: undefined, pending: 0 });
  const kept = app.knowledge.status().vectors.count;
  server.failWith = 500;
  writeIn(root, "src/extra.ts", "export const extra = 1;\n");
  await app.knowledge.index({ signal });
  expect(app.knowledge.status()).toMatchObject({ vectors: { model: "e/small", count: kept }, embeddings: { pending: 1 } });
  expect((await app.knowledge.search({ text: "a question never asked", domain: "code" })).warnings.join()).toContain("built-in vectors");
});

test("texts go in batches; a run that is stopped is gone on with, not begun again", async () => {
  await using server = await startEmbeddingServer();
  const { app, root } = await project(server);
  writeIn(root, "docs/long.md", `# Long\n\n${parts(300).join("\n")}`);
  const stop = new AbortController();
  const stopped = app.knowledge.index({
    signal: stop.signal,
    onProgress: ({ phase }) => {
      if (phase === "embedding") stop.abort();
    },
  });
  await expect(stopped).rejects.toThrow(/abort/iu);
  const done = texts(server);
  expect(done).toBe(96);
  await app.knowledge.index({ signal });
  const { chunks, embeddings } = app.knowledge.status();
  expect(embeddings).toMatchObject({ embedded: chunks, pending: 0 });
  expect(texts(server)).toBe(chunks);
  expect(server.calls.length).toBe(Math.ceil((chunks - 96) / 96) + 1);
});

test("what was said is found by meaning too", async () => {
  await using server = await startEmbeddingServer();
  const { app } = await project(server);
  await app.knowledge.importHistory(
    "talk",
    [
      { id: "1", author: "Ann", text: "We took the puppy home." },
      { id: "2", author: "Ann", text: "Blue suits the hall." },
    ]
      .map((line) => JSON.stringify(line))
      .join("\n"),
  );
  await app.knowledge.index({ signal });
  const { hits } = await app.knowledge.search({ text: "any animal?", domain: "history", k: 2 });
  expect(hits[0]).toMatchObject({ externalId: "1", why: expect.arrayContaining([expect.stringContaining("similar")]) });
});
