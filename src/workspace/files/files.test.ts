import { chmodSync, existsSync, lstatSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { createRedactor } from "../../guard/index.ts";
import { sha256 } from "../../kernel/index.ts";
import { tempWorkspace } from "../../../test/support/temp-workspace.ts";

test("~TOO-034: an edit changes exactly the asked text and reports both hashes", async () => {
  using t = tempWorkspace({ "src/a.ts": "const a = 1;\nconst b = 2;\n" });
  const outcome = await t.workspace.files.apply([{ kind: "edit", path: "src/a.ts", edits: [{ find: "b = 2", replace: "b = 3" }] }]);
  const after = "const a = 1;\nconst b = 3;\n";
  expect(outcome).toEqual({
    kind: "changed",
    changes: [
      {
        path: "src/a.ts",
        operation: "modify",
        before: sha256("const a = 1;\nconst b = 2;\n"),
        after: sha256(after),
        bytes: after.length,
        mode: 0o644,
        snapshot: undefined,
      },
    ],
  });
  expect(readFileSync(path.join(t.root, "src/a.ts"), "utf8")).toBe(after);
  const written = t.asked.filter((action) => action.kind === "write");
  expect(written).toMatchObject([
    { kind: "write", operation: "modify", path: "src/a.ts", absolute: path.join(t.root, "src/a.ts"), bytes: after.length },
  ]);
  expect(written[0]?.change?.diff()).toMatch(/^--- a\/src\/a\.ts\n\+\+\+ b\/src\/a\.ts\n@@ /u);
});

test("an edit that matches nothing names the closest line, and white-space differences as such", async () => {
  using t = tempWorkspace({ "a.py": "def add(a, b):\n    return a + b\n\ndef sub(a, b):\n    return a - b\n" });
  const white = await t.workspace.files.apply([
    { kind: "edit", path: "a.py", edits: [{ find: "def add(a, b):\n\treturn a + b", replace: "x" }] },
  ]);
  expect(white).toEqual({
    kind: "no_match",
    path: "a.py",
    edit: 0,
    closest: { line: 1, text: "def add(a, b):\n    return a + b", why: "differs only in white space" },
  });
  const near = await t.workspace.files.apply([{ kind: "edit", path: "a.py", edits: [{ find: "def subb(a, b):", replace: "x" }] }]);
  expect(near).toMatchObject({ kind: "no_match", closest: { line: 4, text: "def sub(a, b):", why: "most similar lines" } });
});

test("an ambiguous edit lists the lines and changes nothing; `all` replaces every one", async () => {
  using t = tempWorkspace({ "a.txt": "x\ny\nx\n" });
  const outcome = await t.workspace.files.apply([{ kind: "edit", path: "a.txt", edits: [{ find: "x", replace: "z" }] }]);
  expect(outcome).toEqual({ kind: "ambiguous", path: "a.txt", edit: 0, lines: [1, 3], total: 2 });
  await t.workspace.files.apply([{ kind: "edit", path: "a.txt", edits: [{ find: "x", replace: "z", all: true }] }]);
  expect(readFileSync(path.join(t.root, "a.txt"), "utf8")).toBe("z\ny\nz\n");
});

test("several files change together or not at all", async () => {
  using t = tempWorkspace({ "a.txt": "one\n", "b.txt": "two\n", "c.txt": "three\n" });
  const failed = await t.workspace.files.apply([
    { kind: "edit", path: "a.txt", edits: [{ find: "one", replace: "1" }] },
    { kind: "delete", path: "c.txt" },
    { kind: "edit", path: "b.txt", edits: [{ find: "absent", replace: "2" }] },
  ]);
  expect(failed).toMatchObject({ kind: "no_match", path: "b.txt" });
  expect(readFileSync(path.join(t.root, "a.txt"), "utf8")).toBe("one\n");
  expect(existsSync(path.join(t.root, "c.txt"))).toBe(true);
  const done = await t.workspace.files.apply([
    { kind: "edit", path: "a.txt", edits: [{ find: "one", replace: "1" }] },
    { kind: "create", path: "deep/er/d.txt", content: "new\n" },
    { kind: "move", from: "b.txt", to: "moved/b.txt" },
    { kind: "delete", path: "c.txt" },
  ]);
  expect(done).toMatchObject({ kind: "changed" });
  expect(readdirSync(t.root).sort()).toEqual(["a.txt", "deep", "moved"]);
  expect(readFileSync(path.join(t.root, "moved/b.txt"), "utf8")).toBe("two\n");
});

test("a refused write changes nothing", async () => {
  using t = tempWorkspace(
    { "a.txt": "one\n", "b.txt": "two\n" },
    { deny: (action) => (action.kind === "write" && action.path === "b.txt" ? "b is locked" : undefined) },
  );
  const outcome = await t.workspace.files.apply([
    { kind: "write", path: "a.txt", content: "1\n" },
    { kind: "write", path: "b.txt", content: "2\n" },
  ]);
  expect(outcome).toEqual({ kind: "refused", reason: "b is locked", rule: "test-deny", path: "b.txt" });
  expect(readFileSync(path.join(t.root, "a.txt"), "utf8")).toBe("one\n");
});

test("line endings, byte-order mark, encoding and mode survive an edit", async () => {
  const utf16 = Buffer.from("\uFEFFeins\r\nzwei\r\n", "utf16le");
  using t = tempWorkspace({
    "crlf.txt": "one\r\ntwo\r\nthree\r\n",
    "mixed.txt": "one\r\ntwo\nthree\r\n",
    "bom.txt": "\uFEFFone\ntwo\n",
    "wide.txt": utf16,
    "latin.txt": Buffer.from("caf\xe9\nbar\n", "latin1"),
    "run.sh": "#!/bin/sh\necho one\n",
  });
  chmodSync(path.join(t.root, "run.sh"), 0o750);
  const edit = (file: string, find: string, replace: string) =>
    t.workspace.files.apply([{ kind: "edit", path: file, edits: [{ find, replace }] }]);
  await edit("crlf.txt", "one\ntwo\n", "1\n2\n2b\n");
  await edit("mixed.txt", "two\nthree", "2\n3");
  await edit("bom.txt", "one", "1");
  await edit("wide.txt", "zwei", "2");
  await edit("latin.txt", "bar", "b\u00e4r");
  await edit("run.sh", "one", "two");
  const bytes = (file: string): Buffer => readFileSync(path.join(t.root, file));
  expect(bytes("crlf.txt").toString()).toBe("1\r\n2\r\n2b\r\nthree\r\n");
  expect(bytes("mixed.txt").toString()).toBe("one\r\n2\r\n3\r\n");
  expect(bytes("bom.txt").toString()).toBe("\uFEFF1\ntwo\n");
  expect(bytes("wide.txt").equals(Buffer.from("\uFEFFeins\r\n2\r\n", "utf16le"))).toBe(true);
  expect(bytes("latin.txt").equals(Buffer.from("caf\xe9\nb\xe4r\n", "latin1"))).toBe(true);
  expect(statSync(path.join(t.root, "run.sh")).mode & 0o777).toBe(0o750);
  expect(await edit("latin.txt", "caf", "\u4e2d")).toEqual({ kind: "unencodable", path: "latin.txt", encoding: "latin1" });
});

test("reading numbers the lines, pages, and says where the next page starts", async () => {
  using t = tempWorkspace({ "a.txt": Array.from({ length: 25 }, (_, i) => `line ${i + 1}`).join("\n") });
  const page = await t.workspace.files.read({ path: "a.txt", fromLine: 10, maxLines: 3 });
  expect(page).toMatchObject({
    kind: "text",
    lines: [
      { number: 10, text: "line 10" },
      { number: 11, text: "line 11" },
      { number: 12, text: "line 12" },
    ],
    totalLines: 25,
    nextLine: 13,
  });
  const last = await t.workspace.files.read({ path: "a.txt", fromLine: 24 });
  expect(last).toMatchObject({ nextLine: undefined, lines: [{ number: 24 }, { number: 25 }] });
});

test("a file above the streaming size is paged without being loaded, with the same hash", async () => {
  const text = Array.from({ length: 5_000 }, (_, i) => `row ${i + 1} ä`).join("\n");
  using t = tempWorkspace({ "big.log": text }, { limits: { streamAboveBytes: 10_000 } });
  const page = await t.workspace.files.read({ path: "big.log", fromLine: 4_999, maxLines: 5 });
  expect(page).toMatchObject({
    kind: "text",
    hash: sha256(text),
    totalLines: 5_000,
    lines: [
      { number: 4_999, text: "row 4999 ä" },
      { number: 5_000, text: "row 5000 ä" },
    ],
  });
});

test("binary, missing, folder and secret content each have their own answer", async () => {
  using t = tempWorkspace({ "logo.png": new Uint8Array([0x89, 0x50, 0, 1]), "config.ts": "password = hunter2\n", "dir/x.txt": "" });
  expect(await t.workspace.files.read({ path: "logo.png" })).toMatchObject({ kind: "binary", bytes: 4 });
  expect(await t.workspace.files.read({ path: "confi.ts" })).toEqual({ kind: "not_found", path: "confi.ts", similar: ["config.ts"] });
  expect(await t.workspace.files.read({ path: "dir" })).toEqual({ kind: "folder", path: "dir", entries: ["x.txt"] });
  expect(await t.workspace.files.read({ path: "config.ts" })).toMatchObject({
    redacted: true,
    lines: [{ number: 1, text: "password = [redacted]" }],
  });
  expect(await t.workspace.files.apply([{ kind: "edit", path: "logo.png", edits: [{ find: "P", replace: "Q" }] }])).toEqual({
    kind: "binary",
    path: "logo.png",
  });
});

test("SEC-016: a page that begins inside a secret of several lines shows nothing of it, and the lines keep their numbers", async () => {
  const key = (name: string): string[] => [
    `-----BEGIN ${name}-----`,
    ...Array.from({ length: 20 }, (_, i) => `MIIEvAIBADANBgkqhkiG9w0BAQ${i}`),
    `-----END ${name}-----`,
  ];
  const both = `-----END PRIVATE KEY----------BEGIN RSA PRIVATE KEY-----`;
  using t = tempWorkspace(
    {
      "a.txt": ["first", ...key("PRIVATE KEY"), "after the key", "last"].join("\n"),
      "b.txt": [...key("PRIVATE KEY").slice(0, -1), both, ...key("RSA PRIVATE KEY").slice(1), "last"].join("\n"),
    },
    { redact: (text) => createRedactor().redact(text).text },
  );
  const whole = await t.workspace.files.read({ path: "a.txt" });
  expect(whole).toMatchObject({ redacted: true, totalLines: 25 });
  expect(whole.kind === "text" && whole.lines).toEqual([
    { number: 1, text: "first" },
    ...Array.from({ length: 22 }, (_, i) => ({ number: i + 2, text: "[REDACTED]" })),
    { number: 24, text: "after the key" },
    { number: 25, text: "last" },
  ]);
  const page = await t.workspace.files.read({ path: "a.txt", fromLine: 22 });
  expect(page.kind === "text" && page.lines).toEqual([
    { number: 22, text: "[REDACTED]" },
    { number: 23, text: "[REDACTED]" },
    { number: 24, text: "after the key" },
    { number: 25, text: "last" },
  ]);
  for (const request of [{ path: "a.txt", fromLine: 1, maxLines: 8 }, { path: "b.txt" }, { path: "b.txt", fromLine: 30 }])
    expect(JSON.stringify(await t.workspace.files.read(request))).not.toContain("MIIEvA");
});

test("SEC-016: a secret across the place where a long line is cut is redacted first", async () => {
  const token = `ghp_${"aB3dE6gH9jK2mN5pQ8sT1vW4yZ7aB3dE6gH9"}`;
  using t = tempWorkspace(
    { "a.txt": `${"x ".repeat(990)}${token} ${"y".repeat(40_000)}\n` },
    { redact: (text) => createRedactor().redact(text).text },
  );
  const read = await t.workspace.files.read({ path: "a.txt" });
  expect(read.kind === "text" && read.lines[0]?.text.slice(1_960)).toBe(
    `${"x ".repeat(10)}[REDACTED] ${"y".repeat(9)} … [39991 more characters]`,
  );
  const found = await t.workspace.search.grep({ pattern: "x x" });
  expect(JSON.stringify(found)).not.toContain("ghp_");
});

test("a file changed since it was seen is not overwritten", async () => {
  using t = tempWorkspace({ "a.txt": "old\n" });
  const seen = await t.workspace.files.hash("a.txt");
  writeFileSync(path.join(t.root, "a.txt"), "user was here\n");
  const outcome = await t.workspace.files.apply([{ kind: "write", path: "a.txt", content: "mine\n", expect: seen }]);
  expect(outcome).toEqual({ kind: "stale", path: "a.txt", expected: sha256("old\n"), actual: sha256("user was here\n") });
  expect(readFileSync(path.join(t.root, "a.txt"), "utf8")).toBe("user was here\n");
});

test("a write through a link inside the workspace changes the target and keeps the link", async () => {
  using t = tempWorkspace({ "real.txt": "one\n" });
  symlinkSync("real.txt", path.join(t.root, "link.txt"));
  await t.workspace.files.apply([{ kind: "write", path: "link.txt", content: "two\n" }]);
  expect(lstatSync(path.join(t.root, "link.txt")).isSymbolicLink()).toBe(true);
  expect(readFileSync(path.join(t.root, "real.txt"), "utf8")).toBe("two\n");
});

test("parallel edits of one file all take effect", async () => {
  using t = tempWorkspace({ "a.txt": "a\nb\nc\nd\n" });
  const outcomes = await Promise.all(
    ["a", "b", "c", "d"].map((letter) =>
      t.workspace.files.apply([{ kind: "edit", path: "a.txt", edits: [{ find: letter, replace: letter.toUpperCase() }] }]),
    ),
  );
  expect(outcomes.map((outcome) => outcome.kind)).toEqual(["changed", "changed", "changed", "changed"]);
  expect(readFileSync(path.join(t.root, "a.txt"), "utf8")).toBe("A\nB\nC\nD\n");
});

test("preview gives the hashes that apply then produces, and writes nothing", async () => {
  using t = tempWorkspace({ "a.txt": "one\n" });
  const request = [{ kind: "edit" as const, path: "a.txt", edits: [{ find: "one", replace: "two" }] }];
  const preview = await t.workspace.files.preview(request);
  expect(readFileSync(path.join(t.root, "a.txt"), "utf8")).toBe("one\n");
  const applied = await t.workspace.files.apply(request);
  expect(preview.kind === "planned" && applied.kind === "changed" && applied.changes).toEqual(
    preview.kind === "planned" ? preview.changes : "no plan",
  );
});
