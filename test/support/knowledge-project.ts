/** A small project on disk with a git history, and knowledge opened over it. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import { systemClock } from "../../src/kernel/index.ts";
import { openKnowledge } from "../../src/knowledge/open-knowledge.ts";
import type { Knowledge } from "../../src/knowledge/knowledge.ts";
import { tempDir } from "./temp.ts";

export interface KnowledgeProject {
  root: string;
  knowledge: Knowledge;
  write(file: string, text: string | Uint8Array): void;
  git(...args: string[]): string;
  /** Commits everything, a minute after the commit before. */
  commit(message: string): void;
}

export function writeIn(root: string, file: string, text: string | Uint8Array): void {
  const whole = path.join(root, file);
  mkdirSync(path.dirname(whole), { recursive: true });
  writeFileSync(whole, text);
}

export function gitIn(root: string, ...args: string[]): string {
  return execFileSync(
    "git",
    ["-C", root, "-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgSign=false", ...args],
    { stdio: ["ignore", "pipe", "ignore"] },
  ).toString();
}

export function openOver(
  root: string,
  file = path.join(root, ".sylk", "knowledge.db"),
  redact = (text: string): string => text,
): Knowledge {
  const knowledge = openKnowledge({ root, file, clock: systemClock, threads: 1, redact });
  onTestFinished(async () => knowledge[Symbol.asyncDispose]());
  return knowledge;
}

export function knowledgeProject(files: Readonly<Record<string, string>> = {}): KnowledgeProject {
  const root = tempDir("sylk-knowledge");
  gitIn(root, "init", "-q", "-b", "main");
  let minute = 0;
  const project: KnowledgeProject = {
    root,
    knowledge: openOver(root),
    write: (file, text) => writeIn(root, file, text),
    git: (...args) => gitIn(root, ...args),
    commit(message) {
      minute += 1;
      const date = new Date(Date.UTC(2025, 0, 1, 0, minute)).toISOString();
      gitIn(root, "add", "-A");
      execFileSync(
        "git",
        ["-C", root, "-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "-q", "--allow-empty", "-m", message],
        {
          env: { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
          stdio: "ignore",
        },
      );
    },
  };
  for (const [file, text] of Object.entries(files)) project.write(file, text);
  return project;
}
