/** What nobody should ask, and a table of word vectors that cannot be used: answered in words, by the command itself. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { knowledgeProject } from "../support/knowledge-project.ts";
import { tempDir } from "../support/temp.ts";

const PACKAGE = path.resolve(import.meta.dirname, "../..");

function shop() {
  const { root } = knowledgeProject({
    "src/session.ts": "/** Brings a visitor back by a cookie. */\nexport function resumeSession(id: string): string {\n  return id;\n}\n",
    "src/price.ts": "export function totalPrice(items: number[]): number {\n  return items.length;\n}\n",
  });
  const home = tempDir("sylk-home");
  return (args: readonly string[], input = "", from = PACKAGE) =>
    spawnSync(process.execPath, [path.join(from, "src/surface/cli/main.ts"), "-C", root, "search", ...args], {
      env: { PATH: process.env["PATH"] ?? "", HOME: home, SYLK_HOME: home, NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] },
      encoding: "utf8",
      input,
    });
}

test("a megabyte, binary, stop words alone, other scripts and the language of the index itself are each answered", () => {
  const search = shop();
  const asked: Record<string, string> = {
    megabyte: "visitor session cookie\n".repeat(45_000),
    oneWord: "x".repeat(1_000_000),
    binary: Buffer.from(Array.from({ length: 4_096 }, (_, i) => (i * 7) % 256)).toString("latin1"),
    stopWords: "the of and to",
    scripts: "検索 語 поиск بحث",
    halves: "\0\0\u0007 \uD800",
    operators: '" OR NEAR( * ^ {body}: )',
    empty: "",
    after: "resumeSession",
  };
  const lines = Object.entries(asked).map(([id, text]) => JSON.stringify({ id, text }));
  const done = search(["--batch"], lines.join("\n"));
  expect(done.status).toBe(0);
  const answers = new Map(
    done.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { id: string; results: { path: string }[]; error?: string })
      .map((one) => [one.id, one]),
  );
  expect([...answers.keys()]).toEqual(Object.keys(asked));
  expect([...answers.values()].filter((one) => one.error !== undefined)).toEqual([]);
  expect(answers.get("megabyte")?.results[0]?.path).toBe("src/session.ts");
  expect(answers.get("after")?.results[0]?.path).toBe("src/session.ts");
  for (const id of ["oneWord", "stopWords", "scripts", "halves", "empty"]) expect(answers.get(id)?.results).toEqual([]);
});

test("with word vectors that are missing, cut or of another version the command finds by words, and says so", () => {
  const search = shop();
  const copy = tempDir("sylk-package");
  for (const name of ["node_modules", "agents", "prompts", "task-types", "package.json"])
    symlinkSync(path.join(PACKAGE, name), path.join(copy, name));
  cpSync(path.join(PACKAGE, "src"), path.join(copy, "src"), { recursive: true, filter: (file) => !file.endsWith(".test.ts") });
  const vectors = path.join(copy, "data/word-vectors");
  const found = (trouble: string): void => {
    const done = search(["resumeSession", "--json"], "", copy);
    expect(done.status).toBe(0);
    const told = JSON.parse(done.stdout.trim()) as { results: { path: string }[]; warnings?: string[] };
    expect(told.results[0]?.path).toBe("src/session.ts");
    expect(told.warnings?.join()).toContain(trouble);
  };
  mkdirSync(path.dirname(vectors), { recursive: true });
  found("cannot be used");
  cpSync(path.join(PACKAGE, "data/word-vectors"), vectors, { recursive: true });
  truncateSync(path.join(vectors, "vectors.i8"), 1_000);
  found("1000 bytes instead of");
  rmSync(path.join(vectors, "card.json"));
  writeFileSync(path.join(vectors, "card.json"), '{"version": 2}');
  found("another version");
});
