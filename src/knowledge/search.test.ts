import { expect, test } from "vitest";
import { knowledgeProject } from "../../test/support/knowledge-project.ts";
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
  expect(top("resumeSession")).toMatchObject({ path: "src/session.ts", node: "src/session.ts:resumeSession", lines: { from: 1, to: 7 } });
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
