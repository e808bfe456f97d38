import { chmodSync, renameSync, rmSync, utimesSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { gitIn, knowledgeProject, openOver, type KnowledgeProject } from "../../test/support/knowledge-project.ts";
import { tempDir } from "../../test/support/temp.ts";
import { describeIndex } from "../../test/support/describe-index.ts";
import { openKnowledgeDatabase } from "./store/open-database.ts";

const FILES = {
  "src/session.ts":
    'import { readCookie } from "./cookie.ts";\n\n/** Brings a session back. */\nexport function resumeSession(id: string): string {\n  return readCookie(id);\n}\n',
  "src/cookie.ts":
    "export function readCookie(name: string): string {\n  return name;\n}\n\nexport class CookieJar {\n  add(name: string): void {\n    readCookie(name);\n  }\n}\n",
  "test/session.test.ts": 'import { resumeSession } from "../src/session.ts";\n\nresumeSession("x");\n',
  "README.md": "# Shop\n\nA shop.\n\n## Sessions\n\nSessions are resumed from a cookie.\n",
};

function dump(file: string): string[] {
  using database = openKnowledgeDatabase(file);
  return describeIndex(database.db);
}

async function expectLikeFresh(project: KnowledgeProject): Promise<void> {
  const fresh = path.join(tempDir(), "fresh.db");
  await openOver(project.root, fresh).index();
  expect(dump(path.join(project.root, ".sylk", "knowledge.db"))).toEqual(dump(fresh));
}

test("MEM-055: changed, deleted and renamed files leave an index equal to a fresh one", async () => {
  const project = knowledgeProject(FILES);
  project.commit("feat: sessions");
  await project.knowledge.index();
  project.write("src/cookie.ts", "export const jar = 1;\n");
  renameSync(path.join(project.root, "src/session.ts"), path.join(project.root, "src/visit.ts"));
  rmSync(path.join(project.root, "README.md"));
  project.write("docs/new.md", "# New\n\nwords\n");
  project.commit("refactor: visits");
  const report = await project.knowledge.index();
  expect(report).toMatchObject({ added: 2, changed: 1, removed: 2, commits: 1 });
  await expectLikeFresh(project);
  expect(await project.knowledge.index()).toMatchObject({ added: 0, changed: 0, removed: 0, commits: 0 });
});

test("MEM-055 ~VGD-090: one saved file is linked as a fresh index would link it, in each language", async () => {
  const project = knowledgeProject({
    ...FILES,
    "lib/util.py": "def helper():\n    return 1\n",
    "lib/other.py": "def other():\n    return 2\n",
    "app/main.py": "from lib.util import helper\n",
    "tools/go/parse/parse.go": "package parse\n\nfunc Parse() int { return 1 }\n",
    "tools/go/print/print.go": "package print\n\nfunc Print() int { return 1 }\n",
    "tools/go/main.go": 'package main\n\nimport "example.org/tools/go/parse"\n\nfunc main() { parse.Parse() }\n',
    "crate/src/lib.rs": "use crate::alpha::run;\n",
    "crate/src/alpha.rs": "pub fn run() {}\n",
    "crate/src/beta.rs": "pub fn run() {}\n",
    "java/org/acme/App.java": "package org.acme;\nimport org.acme.One;\nclass App { One one; }\n",
    "java/org/acme/One.java": "package org.acme;\nclass One {}\n",
    "java/org/acme/Two.java": "package org.acme;\nclass Two {}\n",
  });
  project.commit("feat: five languages");
  await project.knowledge.index();
  const edits: Readonly<Record<string, string>> = {
    "src/session.ts": 'import { resume } from "../test/session.test.ts";\nresume();\n',
    "app/main.py": "from lib.other import other\n",
    "tools/go/main.go": 'package main\n\nimport "example.org/tools/go/print"\n\nfunc main() { print.Print() }\n',
    "crate/src/lib.rs": "use crate::beta::run;\n",
    "java/org/acme/App.java": "package org.acme;\nimport org.acme.Two;\nclass App { Two two; }\n",
    "test/session.test.ts": "export const resume = () => 1;\n",
  };
  for (const [file, text] of Object.entries(edits)) {
    project.write(file, text);
    expect(await project.knowledge.index({ paths: [file] })).toMatchObject({ added: 0, changed: 1, removed: 0 });
  }
  await expectLikeFresh(project);
  project.write("app/main.py", "from lib.util import helper\n");
  await project.knowledge.index();
  await expectLikeFresh(project);
});

test("invalid UTF-8, a broken parse, binary, empty and 50 MB files are known by what can be read of them", async () => {
  const project = knowledgeProject(FILES);
  project.write("src/broken.ts", "export function half(a: {\n  if (((\nexport function whole() { return 1; }\n");
  project.write(
    "src/latin.py",
    Buffer.concat([Buffer.from("def cafe():\n    return '"), Buffer.from([0xe9, 0xff, 0xfe]), Buffer.from("'\n")]),
  );
  project.write("logo.dat", Buffer.from([0, 1, 2, 3, 0, 255]));
  project.write("empty.ts", "");
  project.write("big/generated.json", `{"rows":[${"1234567,".repeat(6_600_000)}0]}`);
  await project.knowledge.index();
  expect(project.knowledge.search({ text: "whole", domain: "code" })[0]).toMatchObject({ path: "src/broken.ts" });
  expect(project.knowledge.search({ text: "cafe", domain: "code" })[0]).toMatchObject({ path: "src/latin.py", node: "src/latin.py:cafe" });
  expect(project.knowledge.search({ text: "generated.json", domain: "code" })[0]).toMatchObject({ path: "big/generated.json" });
  await expectLikeFresh(project);
});

test("two processes indexing at once end with the index of one", async () => {
  const project = knowledgeProject(
    Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [`src/part-${i}.ts`, `export function part${i}(): number {\n  return ${i};\n}\n`]),
    ),
  );
  project.commit("parts");
  const other = openOver(project.root);
  await Promise.all([project.knowledge.index(), other.index()]);
  expect(other.status()).toMatchObject({ files: 60, commits: 1 });
  await expectLikeFresh(project);
});

test("an index stopped in the middle is completed by the next run", async () => {
  const project = knowledgeProject(
    Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`src/part-${i}.ts`, `export const value${i} = ${i};\n`])),
  );
  project.commit("parts");
  const stop = new AbortController();
  await expect(project.knowledge.index({ signal: stop.signal, onProgress: ({ done }) => done > 10 && stop.abort() })).rejects.toThrow(
    /abort/iu,
  );
  await project.knowledge.index();
  await expectLikeFresh(project);
});

test("~SEC-015 ~SEC-019: a secret in a file is not in the index, and a file of secrets is known by its name only", async () => {
  const project = knowledgeProject({
    "src/config.ts": `export const token = "ghp_${"a1B2c3D4e5F6".repeat(3)}";\nexport const region = "north";\n`,
    ".env": "PASSWORD=hunter2hunter2\n",
  });
  await project.knowledge.index();
  const all = dump(path.join(project.root, ".sylk", "knowledge.db"))
    .join("\n")
    .toLowerCase();
  expect(all).not.toContain("a1b2c3d4e5f6");
  expect(all).not.toContain("hunter2hunter2");
  expect(all).toContain("region");
});

test("MEM-051: ignored files and what tools bring along stay out, unless under version control", async () => {
  const project = knowledgeProject({
    ...FILES,
    ".gitignore": "secret-notes.md\n",
    "secret-notes.md": "x",
    ...Object.fromEntries(
      ["node_modules", "vendor", "__pycache__", ".idea", ".vscode", "dist", "build", ".cache", "deep/node_modules"].map((folder) => [
        `${folder}/made.js`,
        "export const made = 1;\n",
      ]),
    ),
    "vendor/kept.go": "package kept\n",
  });
  project.write(".git/made.js", "export const made = 1;\n");
  gitIn(project.root, "add", "-f", "vendor/kept.go");
  await project.knowledge.index();
  const paths = project.knowledge.search({ text: "notes made kept index", domain: "code", k: 50 }).map((hit) => hit.path);
  expect(paths).toContain("vendor/kept.go");
  expect(paths.filter((file) => /secret|made/u.test(file))).toEqual([]);
});

test("a shallow clone and a clone without file versions are indexed with the history they have", async () => {
  const project = knowledgeProject(FILES);
  project.commit("feat: sessions by cookie");
  project.write("src/cookie.ts", "export const readCookie = (name: string) => name + name;\n");
  project.commit("fix: doubled cookies");
  project.git("config", "uploadpack.allowFilter", "true");
  for (const how of [
    ["--depth", "1"],
    ["--filter=blob:none", "--no-checkout"],
  ]) {
    const root = path.join(tempDir(), "clone");
    gitIn(project.root, "clone", "-q", ...how, `file://${project.root}`, root);
    const knowledge = openOver(root);
    const report = await knowledge.index();
    expect(report.commits).toBeGreaterThan(0);
    expect(knowledge.search({ text: "doubled cookies", domain: "history" })[0]).toMatchObject({ title: "fix: doubled cookies" });
  }
});

test("~VGD-003: a damaged index or one of another version is built again", async () => {
  const project = knowledgeProject(FILES);
  const file = path.join(project.root, ".sylk", "knowledge.db");
  project.write(".sylk/knowledge.db", "this is not a database at all, but long enough to be looked at as one".repeat(200));
  await project.knowledge.index();
  expect(project.knowledge.verify()).toBeUndefined();
  await project.knowledge.reset();
  {
    using database = openKnowledgeDatabase(file);
    database.db.exec("PRAGMA user_version = 999");
  }
  await project.knowledge.index();
  expect(project.knowledge.status()).toMatchObject({ files: 4 });
});

test("MEM-055: files that are written, added, renamed and deleted while the index is made: it ends equal to a fresh one", async () => {
  const count = 160;
  const body = (i: number, more = ""): string => `export function part${i}(): number {\n  return ${i};\n}\n${more}`;
  const project = knowledgeProject(Object.fromEntries(Array.from({ length: count }, (_, i) => [`src/part${i}.ts`, body(i)])));
  project.commit("feat: parts");
  let changes = 0;
  let looks = 0;
  await project.knowledge.index({
    onProgress: ({ phase, done }) => {
      if (phase === "listing") looks += 1;
      // Some that were read, some that are about to be; also while the first changes are taken up.
      if (phase !== "reading" || looks > 2) return;
      const [read, later] = [Math.max(0, done - 1 - changes), Math.min(count - 1, done + 3 + changes)];
      project.write(`src/part${read}.ts`, body(read, `// changed ${changes}\n`));
      project.write(`src/part${later}.ts`, body(later, `// changed before ${changes}\n`));
      project.write(`src/new${changes}.ts`, `export const new${changes} = ${changes};\n`);
      if (changes % 5 === 0) rmSync(path.join(project.root, `src/part${later}.ts`));
      if (changes % 7 === 0) renameSync(path.join(project.root, `src/new${changes}.ts`), path.join(project.root, `src/moved${changes}.ts`));
      changes += 1;
    },
  });
  expect(changes).toBeGreaterThan(0);
  await expectLikeFresh(project);
});

test("MEM-053: a file that was only touched, or got another mode, changes nothing", async () => {
  const project = knowledgeProject(FILES);
  await project.knowledge.index();
  const file = path.join(project.root, ".sylk", "knowledge.db");
  const keys = (): unknown => {
    using database = openKnowledgeDatabase(file);
    return database.db.prepare("SELECT key, hash FROM chunks ORDER BY key").all();
  };
  const before = keys();
  utimesSync(path.join(project.root, "src/cookie.ts"), 1_700_000_000, 1_700_000_000);
  chmodSync(path.join(project.root, "src/session.ts"), 0o755);
  expect(await project.knowledge.index()).toMatchObject({ added: 0, changed: 0, removed: 0 });
  expect(keys()).toEqual(before);
});

test("MEM-050 ~MEM-052: watching takes up a burst of writes as one change, and what was answered before is answered anew", async () => {
  const project = knowledgeProject(FILES);
  await project.knowledge.index();
  const ask = () => project.knowledge.context({ text: "where is walrusTusk", domain: "code", countTokens: (text) => text.length });
  expect((await ask()).sources).toEqual([]);
  const stop = new AbortController();
  const reports: unknown[] = [];
  const watching = (async () => {
    for await (const report of project.knowledge.watch(stop.signal)) reports.push(report);
  })();
  let writes = 0;
  await vi.waitFor(
    () => {
      // Written again until the watcher has begun to look.
      if (reports.length === 0)
        for (let i = 0; i < 3; i += 1) project.write("src/cookie.ts", `export const walrusTusk = ${(writes += 1)};\n`);
      expect(reports.length).toBeGreaterThan(0);
    },
    { timeout: 20_000, interval: 400 },
  );
  expect(reports[0]).toMatchObject({ added: 0, changed: 1, removed: 0 });
  expect((await ask()).sources[0]).toContain("src/cookie.ts");
  stop.abort();
  await watching;
});
