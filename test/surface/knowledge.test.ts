/** Searching, asking and the state of the index, as a user types it. */
import { chmodSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { writeIn } from "../support/knowledge-project.ts";
import { shop } from "./knowledge.ts";

test("a search finds; one for nonsense finds nothing and says what to try; scores stay within 0 and 1", () => {
  const { run } = shop();
  const found = run(["search", "resumeSession"]);
  expect(found).toMatchObject({ code: 0 });
  expect(found.out).toMatch(/^ {2}1 {2}1\.00 {2}src\/session\.ts:1-\d+ {2}resumeSession/u);
  expect(run(["search", "zzzqqq"])).toMatchObject({ code: 0, out: 'nothing found for "zzzqqq"; try other words, or another --domain\n' });
  expect(run(["search", "session", "--domain", "weather"])).toMatchObject({ code: 2 });
  const json = JSON.parse(run(["search", "session price VAT", "--json"]).out.trim().split("\n").at(-1) ?? "") as {
    results: { score: number }[];
  };
  expect(json.results.length).toBeGreaterThan(1);
  expect(json.results.every((hit) => hit.score > 0 && hit.score <= 1)).toBe(true);
});

test("a batch answers each line, a bad one with its own error; rerank without a model keeps the order and warns", () => {
  const { run } = shop();
  const input = [
    JSON.stringify({ id: "a", text: "resumeSession", domain: "code", k: 1 }),
    "{nonsense",
    JSON.stringify({ id: "b", text: "session price", domain: "code", k: 2, rerank: true }),
  ].join("\n");
  const { code, out } = run(["search", "--batch"], input);
  expect(code).toBe(1);
  const lines = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { id: string | null; results: { path: string }[]; error?: string; warnings?: string[] });
  expect(lines.find((line) => line.id === "a")?.results.map((hit) => hit.path)).toEqual(["src/session.ts"]);
  expect(lines.find((line) => line.id === null)?.error).toContain("JSON");
  expect(lines.find((line) => line.id === "b")).toMatchObject({
    results: [{ path: expect.any(String) }, { path: expect.any(String) }],
    warnings: [expect.stringContaining("no model is configured")],
  });
});

test("a project that may only be read is searched all the same", () => {
  const { run, root } = shop();
  chmodSync(root, 0o555);
  onTestFinished(() => chmodSync(root, 0o755));
  expect(run(["search", "resumeSession"])).toMatchObject({ code: 0, out: expect.stringContaining("src/session.ts") });
  expect(run(["knowledge", "status"])).toMatchObject({ code: 0, out: expect.stringContaining("2 files") });
});

test("how sound the project is, or a folder of it, is told in a line and its measures; what nobody measured is called unknown", () => {
  const { run, root } = shop();
  writeIn(root, "src/old.ts", "// TODO: throw it away\nexport const old = 1;\n");
  const whole = run(["knowledge", "health"]);
  expect(whole).toMatchObject({ code: 0 });
  expect(whole.out).toMatch(/^the project: GREENFIELD, patterns \d\.\d\d, coverage unknown, 1 debt marker; there are no patterns yet/u);
  expect(whole.out).toContain("coverage       unknown: no report of the project's tests was found");
  writeIn(root, "coverage/lcov.info", "SF:src/price.ts\nDA:1,1\nDA:2,0\nend_of_record\n");
  const json = JSON.parse(run(["knowledge", "health", "src", "--json"]).out) as Record<string, unknown>;
  expect(json).toMatchObject({ area: "src", maturity: "GREENFIELD", test_coverage: 50, debt_markers: 1 });
  expect(run(["knowledge", "health", "src"]).out).toContain("coverage       50 % by coverage/lcov.info");
  expect(run(["knowledge", "health", "nowhere"])).toMatchObject({ code: 1, err: expect.stringContaining("there is no folder nowhere") });
});
