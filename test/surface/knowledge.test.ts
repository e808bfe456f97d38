/** Searching, asking and the state of the index, as a user types it. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { knowledgeProject, writeIn } from "../support/knowledge-project.ts";
import { tempDir } from "../support/temp.ts";
import { MAIN } from "../support/built-command.ts";

function shop() {
  const project = knowledgeProject({
    "src/session.ts": "/** Brings a visitor back. */\nexport function resumeSession(id: string): string {\n  return id;\n}\n",
    "src/price.ts": "export function totalPrice(items: number[]): number {\n  return items.length;\n}\n",
  });
  project.commit("fix: VAT was counted twice");
  const home = tempDir("sylk-home");
  const run = (args: readonly string[], input?: string) => {
    const env = { PATH: process.env["PATH"] ?? "", HOME: home, SYLK_HOME: home, NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] };
    const done = spawnSync(process.execPath, [MAIN, "-C", project.root, ...args], {
      env,
      encoding: "utf8",
      ...(input === undefined ? { stdio: ["ignore", "pipe", "pipe"] as const } : { input }),
    });
    return { code: done.status, out: done.stdout, err: done.stderr };
  };
  const configure = (text: string): void => {
    mkdirSync(home, { recursive: true });
    writeFileSync(path.join(home, "config.yaml"), text);
  };
  return { ...project, run, configure };
}

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

test("an id that a history search shows can be pasted into history show; an unknown one is told", () => {
  const { run } = shop();
  const shown = /commit:[\da-f]+/u.exec(run(["history", "search", "VAT"]).out)?.[0] ?? "";
  expect(run(["history", "show", shown]).out).toContain("VAT was counted twice");
  const lines = [{ id: "note-7", author: "Ann", text: "Prices are rounded down." }].map((one) => JSON.stringify(one)).join("\n");
  expect(run(["history", "import", "-", "--name", "notes"], lines)).toMatchObject({ code: 0 });
  expect(run(["history", "search", "rounded"]).out).toContain("note-7");
  expect(run(["history", "show", "note-7"]).out).toContain("Prices are rounded down.");
  expect(run(["history", "show", "nope"])).toMatchObject({ code: 1, err: expect.stringContaining("nothing is known under nope") });
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

test("sylk ask answers with numbered sources; with --model and no model the sources stand, and it says so", () => {
  const { run } = shop();
  expect(run(["ask", "where is resumeSession defined"]).out).toMatch(/^\[1\] src\/session\.ts:2-4 — verified, current\n {6}\S/u);
  expect(run(["ask", "where is resumeSession defined"]).err).toContain("`sylk ask --model …` lets a model answer");
  // D14: the best passage is there whole, and nothing else is said before it.
  expect(run(["ask", "where is resumeSession defined"]).out).toMatch(/^\[1\] .*\n(?: {6}.*\n){3}/u);
  expect(run(["ask", "where is resumeSession defined"]).err).not.toContain("days old");
  for (const words of [
    ["ask", ""],
    ["history", "search", " "],
    ["search", "x", "-k", "0"],
  ])
    expect(run(words).code).toBe(2);
  const asked = run(["ask", "--model", "how does resumeSession work"]);
  expect(asked).toMatchObject({ code: 0, err: expect.stringContaining("no model is configured to answer with") });
  expect(asked.out).toContain("[1] src/session.ts");
  expect(run(["ask", "zzzqqq"]).out).toContain("nothing found");
});

test("status names the vectors in use, and a configured model that cannot be reached", () => {
  const { run, configure } = shop();
  run(["index"]);
  expect(run(["knowledge", "status"]).out).toContain("vectors of builtin/words-1 (256)");
  configure(
    'llm:\n  embedding_model: e/small\n  retry:\n    transient: { max_attempts: 1 }\n    external_degrading: { max_attempts: 1 }\n  providers:\n    e: { kind: compatible, base_url: "http://127.0.0.1:9/v1" }\n',
  );
  expect(run(["index"]).err).toContain("e/small failed, the built-in vectors serve");
  expect(run(["knowledge", "status"]).out).toMatch(/e\/small \(0\): 0 embedded, \d+ to do; failed, built-in vectors serve: /u);
});

test("places are taken from where one stands; a line, a folder or a document that is not there is said so", () => {
  const { run } = shop();
  expect(run(["-C", "src", "why", "session.ts:2"]).out).toMatch(/^src\/session\.ts:2\nin export function resumeSession/u);
  expect(run(["-C", "src", "map", "src"]).out).toContain("src/price.ts");
  expect(run(["why", "src/session.ts:600"])).toMatchObject({ code: 1, err: expect.stringContaining("has 4 lines") });
  expect(run(["map", "nope"])).toMatchObject({ code: 1, err: expect.stringContaining("nothing is known below nope") });
  expect(run(["knowledge", "add", "nope.pdf"])).toMatchObject({ code: 1, err: expect.stringMatching(/no such file\n\s+fix: /u) });
  expect(run(["map", "--budget", "0"]).code).toBe(2);
});

test("status names large files of which only the beginning was read", () => {
  const { run, write } = shop();
  expect(run(["index"]).code).toBe(0);
  expect(run(["knowledge", "status"]).out).not.toContain("only the beginning");
  write("src/large.py", Array.from({ length: 60_000 }, (_, i) => `def function_number_${i}():\n    pass\n`).join(""));
  run(["index"]);
  expect(run(["knowledge", "status"]).out).toContain("of 1 large file only the beginning was read: src/large.py");
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
