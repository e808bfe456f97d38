import path from "node:path";
import { expect, test } from "vitest";
import { knowledgeProject } from "../../../test/support/knowledge-project.ts";
import { tempDir } from "../../../test/support/temp.ts";
import { systemClock } from "../../kernel/index.ts";
import { openGitLog } from "../ingest/git-log.ts";
import { createCommitWriter, type LoggedCommit } from "./commit-writer.ts";
import { openKnowledgeDatabase } from "./open-database.ts";

const redact = (text: string): string => text;

test("a history that was stopped goes on after what was kept, newest first, with its renames; what was committed since comes on top", async () => {
  const { root, write, git, commit, knowledge } = knowledgeProject({ "src/old.ts": "export const a = 1;\n" });
  commit("feat: oldest");
  write("src/old.ts", "export const a = 2;\n");
  commit("fix: in the middle");
  git("mv", "src/old.ts", "src/new.ts");
  commit("refactor: newest renames");
  const clock = systemClock;
  using database = openKnowledgeDatabase(path.join(tempDir(), "knowledge.db"));
  const writer = createCommitWriter(database.db);
  const all = await openGitLog({ root, clock, known: writer.known(), redact });
  const commits = (await all?.next()) ?? [];
  expect(commits.map(({ message }) => message)).toEqual(["refactor: newest renames", "fix: in the middle", "feat: oldest"]);
  // Stopped after the newest.
  await writer.begin(all?.head ?? "", "anew")(commits.slice(0, 1), "");
  expect(writer.known()).toMatchObject({ head: undefined, begun: { read: 1 } });

  commit("docs: committed since");
  const rest = await openGitLog({ root, clock, known: writer.known(), redact });
  expect(rest?.place).toBe("further");
  const older = (await rest?.next()) as LoggedCommit[];
  expect(older.map(({ message }) => message)).toEqual(["fix: in the middle", "feat: oldest"]);
  await writer.begin(rest?.head ?? "", "further")(older, "");
  writer.finish(rest?.head ?? "", false);
  const paths = database.db.prepare("SELECT DISTINCT path FROM commit_files ORDER BY path").all();
  expect(paths).toEqual([{ path: "src/new.ts" }]);

  const since = await openGitLog({ root, clock, known: writer.known(), redact });
  expect([since?.place, (await since?.next())?.map(({ message }) => message)]).toEqual(["on_top", ["docs: committed since"]]);
  await knowledge[Symbol.asyncDispose]();
});
