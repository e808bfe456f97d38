import path from "node:path";
import { expect, test } from "vitest";
import { knowledgeProject } from "../../../test/support/knowledge-project.ts";
import { openKnowledgeDatabase } from "./open-database.ts";
import { followWordVectors } from "./forget-vectors.ts";

test("what was made with another table of word vectors is made again by the next run", async () => {
  const project = knowledgeProject({ "src/parse.ts": "export function parseRequest(text: string): string {\n  return text;\n}\n" });
  project.commit("feat: requests are parsed");
  await project.knowledge.index();
  using database = openKnowledgeDatabase(path.join(project.root, ".sylk", "knowledge.db"));
  const made = (): unknown =>
    database.db
      .prepare(
        "SELECT (SELECT hex(vector) FROM chunks) AS piece, (SELECT hex(vector) FROM commits) AS saying, (SELECT count(*) FROM piece_signs) + (SELECT count(*) FROM saying_signs) AS signs",
      )
      .get();
  const before = made();
  expect(before).toMatchObject({ piece: expect.stringMatching(/^[\dA-F]{512}$/u), signs: 2 });
  followWordVectors(database.db, "words-0");
  expect(made()).toMatchObject({ piece: "", signs: 0 });
  await project.knowledge.index();
  expect(made()).toEqual(before);
});
