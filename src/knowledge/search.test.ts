import { expect, test } from "vitest";
import { knowledgeProject, openOver } from "../../test/support/knowledge-project.ts";
import { createRedactor } from "../guard/index.ts";
import { tokenize } from "./text/tokenize.ts";

const paths = (hits: { path: string }[]): string[] => hits.map((hit) => hit.path);

async function shop() {
  const project = knowledgeProject({
    "src/session.ts":
      'import { readCookie } from "./cookie.ts";\n\n/** Brings a visitor back. */\nexport function resumeSession(id: string): string {\n  return readCookie(id);\n}\n',
    "src/cookie.ts": "export function readCookie(name: string): string {\n  return name;\n}\n",
    "src/price.ts": "export function totalPrice(items: number[]): number {\n  return items.reduce((a, b) => a + b, 0);\n}\n",
    "test/price.test.ts": 'import { totalPrice } from "../src/price.ts";\ntotalPrice([1]);\n',
    "docs/guide.md": "# Guide\n\n## Paying\n\nInvoices are sent by mail.\n\n## Returning\n\nVisitors come back through a cookie.\n",
  });
  project.commit("feat: shop");
  project.write(
    "src/price.ts",
    "export function totalPrice(items: number[]): number {\n  return items.reduce((a, b) => a + b, 0);\n}\n// rounding\n",
  );
  project.commit("fix: VAT was counted twice on foreign orders");
  await project.knowledge.index();
  return project;
}

test("identifiers are found whole, by their parts and by their stems", () => {
  expect(tokenize("parseHTTPRequest_v2 café 検索語")).toEqual([
    "parsehttprequestv2",
    "pars",
    "http",
    "request",
    "v2",
    "caf",
    "検索",
    "索語",
  ]);
});

test("KNO-020 KNO-028: a name, a path, a stack trace and plain words each lead to their place", async () => {
  const { knowledge } = await shop();
  const top = (text: string) => knowledge.search({ text, domain: "code", k: 3 })[0];
  expect(top("resumeSession")).toMatchObject({ path: "src/session.ts", node: "src/session.ts:resumeSession", lines: { from: 1, to: 6 } });
  expect(top("something is wrong in src/cookie.ts")).toMatchObject({ path: "src/cookie.ts" });
  expect(top("TypeError: x\n    at totalPrice (/app/src/price.ts:2:10)")).toMatchObject({
    path: "src/price.ts",
    node: "src/price.ts:totalPrice",
  });
  expect(top("where do we sum up the total of prices?")).toMatchObject({ path: "src/price.ts" });
});

test("what an earlier commit said of a file finds it, though the file never says so", async () => {
  const { knowledge } = await shop();
  const [first] = knowledge.search({ text: "VAT on foreign orders", domain: "code" });
  expect(first).toMatchObject({ path: "src/price.ts" });
  expect(first?.why.join()).toContain("earlier changes described alike");
  expect(knowledge.search({ text: "VAT foreign", domain: "history" })[0]).toMatchObject({
    title: "fix: VAT was counted twice on foreign orders",
    author: "Ann",
  });
});

test("a release is found by releases before it, though no version is like another", async () => {
  const project = await shop();
  project.write("package.json", '{ "name": "shop" }\n');
  project.commit("1.0.0");
  project.write("package.json", '{ "name": "shop", "private": true }\n');
  project.commit("1.0.1");
  await project.knowledge.index();
  expect(project.knowledge.search({ text: "2.4.17", domain: "code" })[0]).toMatchObject({ path: "package.json" });
});

test("the docs domain answers with sections of documents, a glob narrows, and no hit is no error", async () => {
  const { knowledge } = await shop();
  expect(knowledge.search({ text: "invoices by mail", domain: "docs" })).toMatchObject([{ path: "docs/guide.md", domain: "docs" }]);
  expect(
    paths(knowledge.search({ text: "cookie price", domain: "code", pathGlob: "src/**" })).every((path) => path.startsWith("src/")),
  ).toBe(true);
  expect(knowledge.search({ text: '"*^ OR (', domain: "docs" })).toEqual([]);
});

test("the map keeps its budget and why tells who wrote a line", async () => {
  const { knowledge } = await shop();
  const map = knowledge.map({ budgetTokens: 60, countTokens: (text) => Math.ceil(text.length / 4) });
  expect(map.tokens).toBeLessThanOrEqual(60);
  expect(map.text).toContain("src/");
  const why = await knowledge.why({ path: "src/price.ts", line: 4 });
  expect(why.commits[0]).toMatchObject({ message: "fix: VAT was counted twice on foreign orders", wroteLine: true });
  expect(why).toMatchObject({ tests: ["test/price.test.ts"], importedBy: ["test/price.test.ts"] });
  await expect(knowledge.why({ path: "nowhere.ts" })).rejects.toMatchObject({ code: "KNOWLEDGE_NO_SUCH_FILE" });
});

test("SRC-011: what no word, name or spelling leads to has no hits, in any domain", async () => {
  const { knowledge } = await shop();
  await knowledge.addHistory("journal", [
    {
      id: "evt_1",
      externalId: undefined,
      thread: "t",
      author: "engineer",
      at: 1_700_000_000_000,
      text: "Goal: sum prices",
      kind: "decision",
    },
  ]);
  for (const domain of ["code", "history", "docs", "all"] as const)
    for (const text of ["zzzqqq", "xkcdvw plmokn", "the of and", "€€€"])
      expect(knowledge.search({ text, domain }), `${text} in ${domain}`).toEqual([]);
});

test("scores lie between 0 and 1 and fall; a half-known question scores less than a known one", async () => {
  const { knowledge } = await shop();
  const texts = [
    "resumeSession cookie",
    "price total in src/price.ts",
    "VAT 2025-01-01 by Ann",
    "Where do visitors come back?",
    "fix: VAT",
    "guide",
  ];
  for (const domain of ["code", "history", "docs", "all"] as const)
    for (const text of texts) {
      const scores = knowledge.search({ text, domain, k: 50 }).map((hit) => hit.score);
      expect(scores.every((score) => score > 0 && score <= 1)).toBe(true);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    }
  const best = (text: string) => knowledge.search({ text, domain: "code", k: 1 })[0]?.score ?? 0;
  expect(best("total price")).toBe(1);
  expect(best("total price zeppelin quarks")).toBeLessThan(0.6);
});

test("a part of a name and a misspelt name lead to it, below what full text finds", async () => {
  const { knowledge } = await shop();
  const find = (text: string) => knowledge.search({ text, domain: "code", k: 5 });
  expect(find("umesessio")[0]).toMatchObject({ node: "src/session.ts:resumeSession", why: ["name contains a word asked for"] });
  expect(find("resumeSesion")[0]).toMatchObject({ path: "src/session.ts" });
  const [typo] = find("reedcookie");
  expect(typo).toMatchObject({ node: "src/cookie.ts:readCookie", why: [expect.stringContaining("spelt alike")] });
  const both = find("cookie otalpri");
  expect(both.map((hit) => hit.path)).toEqual(expect.arrayContaining(["src/cookie.ts", "src/price.ts"]));
  const text = both.filter((hit) => !hit.why.join().includes("name contains")).map((hit) => hit.score);
  const byName = both.filter((hit) => hit.why.join().includes("name contains")).map((hit) => hit.score);
  expect(Math.min(...text)).toBeGreaterThanOrEqual(Math.max(...byName));
});

test("an entry of history is shown whole by each id a search gives for it", async () => {
  const { knowledge, git } = await shop();
  await knowledge.addHistory("journal", [
    { id: "evt_9", externalId: "n9", thread: "t", author: "Ann", at: undefined, text: "Prices are rounded", kind: "decision" },
  ]);
  const hash = git("rev-parse", "HEAD").trim();
  const graph = knowledge.graph();
  for (const id of ["evt_9", "n9", "journal:evt_9"]) expect(graph.resolve(id)).toMatchObject({ content: "Prices are rounded" });
  for (const id of [hash, hash.slice(0, 10), `commit:${hash.slice(0, 10)}`])
    expect(graph.resolve(id)).toMatchObject({ id: `commit:${hash}` });
  expect(graph.resolve("commit:zzz")).toBeUndefined();
});

test("a pattern without a slash speaks of names at any depth", async () => {
  const { knowledge } = await shop();
  expect(paths(knowledge.search({ text: "price", pathGlob: "*.test.ts" }))).toContain("test/price.test.ts");
  expect(paths(knowledge.search({ text: "price", pathGlob: "src/*.ts" }))).not.toContain("test/price.test.ts");
});

test("beside what was said, a file of which nothing speaks stands behind; nothing scores zero", async () => {
  const { knowledge } = await shop();
  await knowledge.addHistory("import:talk", [
    { id: "1", externalId: "n1", thread: "t", author: "Bob", at: undefined, text: "Invoices are billed weekly", kind: "message" },
  ]);
  const hits = knowledge.search({ text: "invoices billed", k: 20 });
  const said = hits.findIndex((hit) => hit.externalId === "n1");
  const unspoken = hits.findIndex((hit) => hit.path === "src/cookie.ts");
  expect(said).toBeGreaterThanOrEqual(0);
  expect(unspoken === -1 || unspoken > said).toBe(true);
  expect(hits.every((hit) => hit.score >= 0.005)).toBe(true);
});

test("notes of a request's many tasks leave the files their places, and fill what nobody else takes", async () => {
  const { knowledge } = await shop();
  const note = (id: number) => {
    const text = `Goal: the price of part ${"abcdefghijklmnopqrstuvwx"[id] ?? ""} is shown`;
    return { id: `evt_${id}`, externalId: undefined, thread: "t", author: "Ann", at: undefined, text, kind: "task_completion" };
  };
  await knowledge.addHistory(
    "journal",
    Array.from({ length: 24 }, (_, id) => note(id)),
  );
  const noted = (k: number): number[] => {
    const hits = knowledge.search({ text: "price", k });
    return [hits.filter((hit) => hit.node.startsWith("journal:")).length, hits.length];
  };
  const files = knowledge.search({ text: "price", domain: "code", k: 20 }).length;
  expect(files).toBeGreaterThanOrEqual(2);
  expect(noted(2)).toEqual([1, 2]);
  expect(noted(20)).toEqual([20 - files, 20]);
});

test("SEC-016: what follows a private key keeps its lines, and nothing of the key is quoted", async () => {
  const body = Array.from(
    { length: 50 },
    (_, i) => `${"aB3dE6gH9jK2mN5pQ8sT1vW4yZ7x".repeat(3).slice(0, 60)}${String(i).padStart(4, "0")}`,
  );
  const key = ["-----BEGIN RSA PRIVATE KEY-----", ...body, "-----END RSA PRIVATE KEY-----"].join("\n");
  const part = (name: string): string =>
    `export function ${name}(old: string): string {\n${Array.from({ length: 14 }, (_, i) => `  const ${name}${i} = old;\n`).join("")}  return old;\n}\n`;
  const project = knowledgeProject({
    "src/keys.ts": `export const KEY = \`${key}\`;\n${part("loadConfig")}${part("rotateInvoices")}${part("archiveLedger")}`,
  });
  const knowledge = openOver(project.root, undefined, (text) => createRedactor().redact(text).text);
  await knowledge.index();
  const [hit] = knowledge.search({ text: "rotateInvoices", domain: "code" });
  expect(hit?.lines).toMatchObject({ from: 70 });
  for (const text of ["rotate invoices", "KEY", "load config"]) {
    const { text: quoted } = await knowledge.context({ text, domain: "code", countTokens: (one) => one.length / 4 });
    expect(quoted).not.toContain("aB3dE6");
  }
  const { text } = await knowledge.context({ text: "rotateInvoices", domain: "code", k: 1, countTokens: (one) => one.length / 4 });
  expect(text).toContain("export function rotateInvoices");
});

test("questions answered by the searching thread are answered as on the spot, also while others are asked, and after a reset", async () => {
  const { knowledge } = await shop();
  const texts = ["invoices billed", "cookie price", "rotateInvoices", "zzqqx", "VAT on foreign orders"];
  const apart = await Promise.all(texts.map((text) => knowledge.find({ text, k: 5 })));
  for (const [i, text] of texts.entries()) expect(apart[i]?.hits).toMatchObject(knowledge.search({ text, k: 5 }));
  expect((await knowledge.find({ text: "cookie price", k: 5, once: true })).hits).toEqual(apart[1]?.hits);
  await knowledge.reset();
  expect((await knowledge.find({ text: "cookie price", k: 5 })).hits).toEqual([]);
});
