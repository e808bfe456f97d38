import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { openKnowledgeDatabase } from "../../src/knowledge/store/open-database.ts";
import { describeIndex } from "../support/describe-index.ts";
import { knowledgeProject, openOver } from "../support/knowledge-project.ts";
import { tempDir } from "../support/temp.ts";
import { MAIN } from "../support/built-command.ts";

function filesIn(file: string): number {
  try {
    using database = openKnowledgeDatabase(file);
    return (database.db.prepare("SELECT count(*) AS n FROM files").get() as { n: number }).n;
  } catch {
    return 0;
  }
}

function dump(file: string): string[] {
  using database = openKnowledgeDatabase(file);
  return describeIndex(database.db);
}

test("an index killed in the middle, with files changing meanwhile, ends equal to a fresh one", async () => {
  const project = knowledgeProject(
    Object.fromEntries(
      Array.from({ length: 300 }, (_, i) => [
        `src/part-${i}.ts`,
        `import { value${i} } from "./part-${(i + 1) % 300}.ts";\n\nexport function work${i}(): number {\n  return ${i};\n}\n`,
      ]),
    ),
  );
  project.commit("parts");
  const file = path.join(project.root, ".sylk", "knowledge.db");
  const child = spawn(process.execPath, [MAIN, "-C", project.root, "index"], {
    stdio: "ignore",
    env: { ...process.env, SYLK_HOME: tempDir("sylk-home") },
  });
  const ended = once(child, "exit");
  while (child.exitCode === null && filesIn(file) < 40) await pause(5);
  child.kill("SIGKILL");
  await ended;
  project.write("src/part-7.ts", "export const changed = 7;\n");
  project.write("src/part-290.ts", "export const changed = 290;\n");
  project.write("data/huge.json", `[${"1234567890,".repeat(4_800_000)}0]`);
  await project.knowledge.index();
  const fresh = path.join(tempDir(), "fresh.db");
  await openOver(project.root, fresh).index();
  expect(dump(file)).toEqual(dump(fresh));
  expect(project.knowledge.search({ text: "huge.json", domain: "code", k: 1 })[0]).toMatchObject({ path: "data/huge.json" });
});
