/** Takes a repository through its cases: the work tree is set to where each is asked, indexed, and handed to whoever measures. */
import { execFileSync } from "node:child_process";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { systemClock } from "../../src/kernel/index.ts";
import { indexProject } from "../../src/knowledge/ingest/index-project.ts";
import { openKnowledgeDatabase } from "../../src/knowledge/store/open-database.ts";
import type { Passage } from "./baselines.ts";
import { createPassages, gitIn, messageCases, placeCases, type RepositoryCase } from "./repository-cases.ts";

export interface AskedCase extends RepositoryCase {
  db: DatabaseSync;
  /** The work tree, as it is at that commit. */
  root: string;
  passages: Passage[];
}

export async function walkRepository(source: string, dir: string, messages: number, visit: (asked: AskedCase) => void): Promise<void> {
  const root = path.join(dir, "tree");
  execFileSync("git", ["clone", "-q", "--shared", source, root], { stdio: "ignore" });
  const git = gitIn(root);
  const cases = [...messageCases(git, messages), ...placeCases(path.basename(source), root, git)];
  using database = openKnowledgeDatabase(path.join(dir, "knowledge.db"));
  const { db } = database;
  const passagesOf = createPassages(root);
  let at: string | undefined;
  let known: string[] = [];
  let passages: Passage[] = [];
  for (const one of cases) {
    if (one.at !== at) {
      at = one.at;
      git("checkout", "-qf", at);
      await indexProject({ root, threads: 1, secrets: [], closed: [] }, { db, clock: systemClock, onProgress: () => undefined });
      known = (db.prepare("SELECT path FROM files").all() as { path: string }[]).map((row) => row.path);
      passages = passagesOf(known);
    }
    const present = new Set(known);
    const wanted = one.wanted.filter((file) => present.has(file));
    if (wanted.length > 0) visit({ ...one, wanted, db, root, passages });
  }
}
