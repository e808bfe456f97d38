/** What an index over a changed project holds, and whether a fresh one would hold the same. */
import path from "node:path";
import { expect } from "vitest";
import { openOver, type KnowledgeProject } from "./knowledge-project.ts";
import { tempDir } from "./temp.ts";
import { describeIndex } from "./describe-index.ts";
import { openKnowledgeDatabase } from "../../src/knowledge/store/open-database.ts";

export const FILES = {
  "src/session.ts":
    'import { readCookie } from "./cookie.ts";\n\n/** Brings a session back. */\nexport function resumeSession(id: string): string {\n  return readCookie(id);\n}\n',
  "src/cookie.ts":
    "export function readCookie(name: string): string {\n  return name;\n}\n\nexport class CookieJar {\n  add(name: string): void {\n    readCookie(name);\n  }\n}\n",
  "test/session.test.ts": 'import { resumeSession } from "../src/session.ts";\n\nresumeSession("x");\n',
  "README.md": "# Shop\n\nA shop.\n\n## Sessions\n\nSessions are resumed from a cookie.\n",
};

export function dump(file: string): string[] {
  using database = openKnowledgeDatabase(file);
  return describeIndex(database.db);
}

export async function expectLikeFresh(project: KnowledgeProject): Promise<void> {
  const fresh = path.join(tempDir(), "fresh.db");
  await openOver(project.root, fresh).index();
  expect(dump(path.join(project.root, ".sylk", "knowledge.db"))).toEqual(dump(fresh));
}
