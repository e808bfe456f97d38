/** `search-bad-input.test.ts` goes on here with what takes longer. */
import { cpSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../support/temp.ts";
import { PACKAGE, shop } from "./search-bad-input.ts";

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
