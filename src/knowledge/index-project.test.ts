import { chmodSync, renameSync, rmSync, utimesSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { gitIn, knowledgeProject, openOver } from "../../test/support/knowledge-project.ts";
import { tempDir } from "../../test/support/temp.ts";
import { openKnowledgeDatabase } from "./store/open-database.ts";
import { FILES, dump, expectLikeFresh } from "../../test/support/like-fresh-index.ts";

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
