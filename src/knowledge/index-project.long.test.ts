/** `index-project.test.ts` goes on here with what takes longer. */
import { renameSync, rmSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { knowledgeProject, openOver } from "../../test/support/knowledge-project.ts";
import { FILES, expectLikeFresh } from "../../test/support/like-fresh-index.ts";

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
      // Some that were read, some that are about to be; also while the first changes are taken up. Progress is told from
      // another thread, and late on a busy machine: what is changed after the last look is for the next run.
      if (phase !== "reading" || looks > 2 || done > (looks === 1 ? count / 2 : 3)) return;
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
