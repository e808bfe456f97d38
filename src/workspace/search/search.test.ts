import { lstatSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { createRedactor } from "../../guard/index.ts";
import { systemClock } from "../../kernel/index.ts";
import { tempWorkspace } from "../../../test/support/temp-workspace.ts";
import { changedSince } from "./list-files.ts";

const files = {
  "src/a.ts": "needle one\nhay\nneedle two\n",
  "src/b.ts": "needle three\n",
  "dist/c.ts": "needle four\n",
  ".gitignore": "dist\n",
  ".git/HEAD": "needle\n",
  "docs/d.md": "Needle five\n",
};

test("grep honours ignore files, bounds the list and gives the totals", async () => {
  using t = tempWorkspace(files);
  const all = await t.workspace.search.grep({ pattern: "needle" });
  expect(all).toMatchObject({ kind: "matches", totalMatches: 3, totalFiles: 2, truncated: false });
  const bounded = await t.workspace.search.grep({ pattern: "needle", maxMatches: 1 });
  expect(bounded).toMatchObject({ kind: "matches", totalMatches: 3, totalFiles: 2, truncated: true });
  expect(bounded.kind === "matches" && bounded.matches).toHaveLength(1);
});

test("grep takes literal text, case, globs and a folder", async () => {
  using t = tempWorkspace({ ...files, "src/e.ts": "f(x)[0]\n" });
  expect(await t.workspace.search.grep({ pattern: "f(x)[0]", literal: true })).toMatchObject({
    matches: [{ path: "src/e.ts", line: 1, text: "f(x)[0]" }],
  });
  expect(await t.workspace.search.grep({ pattern: "(?i)needle", globs: ["*.md"] })).toMatchObject({
    matches: [{ path: "docs/d.md", line: 1, text: "Needle five" }],
  });
  expect(await t.workspace.search.grep({ pattern: "needle", path: "src/b.ts" })).toMatchObject({ totalMatches: 1 });
});

test("a bad pattern, a missing folder and a place outside are answers, not errors", async () => {
  using t = tempWorkspace(files);
  expect(await t.workspace.search.grep({ pattern: "(" })).toMatchObject({ kind: "bad_pattern" });
  expect(await t.workspace.search.grep({ pattern: "x", path: "nowhere" })).toEqual({ kind: "not_found", path: "nowhere" });
  expect(await t.workspace.search.list({ path: ".." })).toMatchObject({ kind: "outside" });
});

test("matches in files that may not be read are left out", async () => {
  using t = tempWorkspace(
    { ...files, ".env": "needle secret\n" },
    { deny: (action) => (action.kind === "read" && action.path === ".env" ? "secrets" : undefined) },
  );
  const found = await t.workspace.search.grep({ pattern: "needle" });
  expect(found.kind === "matches" && found.matches.map((match) => match.path).sort()).toEqual(["src/a.ts", "src/a.ts", "src/b.ts"]);
  const listed = await t.workspace.search.list({});
  expect(listed.kind === "files" && listed.files).not.toContain(".env");
});

test("list finds by glob, sorted and bounded with the total", async () => {
  using t = tempWorkspace(files);
  expect(await t.workspace.search.list({ globs: ["*.ts"] })).toEqual({
    kind: "files",
    files: ["src/a.ts", "src/b.ts"],
    total: 2,
    truncated: false,
    timedOut: false,
  });
  expect(await t.workspace.search.list({ maxFiles: 1 })).toMatchObject({ files: [".gitignore"], total: 4, truncated: true });
});

test("SEC-016: lines of a private key are not found by their look, in small files, in large ones and in UTF-16", async () => {
  const body = Array.from(
    { length: 50 },
    (_, i) => `${"aB3dE6gH9jK2mN5pQ8sT1vW4yZ7x".repeat(3).slice(0, 60)}${String(i).padStart(4, "0")}`,
  );
  const text = ["first line", "-----BEGIN RSA PRIVATE KEY-----", ...body, "-----END RSA PRIVATE KEY-----", "needle after"].join("\n");
  using t = tempWorkspace(
    {
      "small.txt": text,
      "large.txt": `${"an ordinary line\n".repeat(200_000)}${text}\n`,
      "wide.txt": Buffer.from(`\uFEFF${text}`, "utf16le"),
      "wide-large.txt": Buffer.from(`\uFEFF${"an ordinary line\n".repeat(100_000)}${text}`, "utf16le"),
    },
    { redact: (given) => createRedactor().redact(given).text },
  );
  const keys = await t.workspace.search.grep({ pattern: "^[A-Za-z0-9+/]{60,64}$", maxMatches: 500 });
  expect(keys).toMatchObject({ kind: "matches", totalMatches: 200 });
  expect(keys.kind === "matches" && keys.matches).toHaveLength(200);
  expect(JSON.stringify(keys)).not.toContain("aB3dE6");
  const after = await t.workspace.search.grep({ pattern: "needle" });
  expect(
    after.kind === "matches" && Object.fromEntries(after.matches.map((match) => [match.path, [match.line, match.text]])),
  ).toMatchObject({
    "small.txt": [54, "needle after"],
    "large.txt": [200_054, "needle after"],
    "wide.txt": [54, "needle after"],
  });
});

test("what the disk tells in parts of a millisecond is not after a clock that tells whole ones", async () => {
  using t = tempWorkspace({ "a.txt": "x\n" });
  const places = [".", "a.txt"].map((name) => lstatSync(path.join(t.root, name)));
  const newest = Math.max(...places.flatMap(({ mtimeMs, ctimeMs }) => [mtimeMs, ctimeMs]));
  expect(await changedSince(t.root, Math.floor(newest), systemClock)).toBe(false);
  expect(await changedSince(t.root, Math.floor(newest) - 1, systemClock)).toBe(true);
});
