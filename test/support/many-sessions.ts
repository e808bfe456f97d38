/** Many requests of one project at the same time, each with its own pieces: real trees, merges and journal; checks that say yes. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { stringify } from "yaml";
import { systemClock } from "../../src/kernel/index.ts";
import { gitIn } from "./knowledge-project.ts";
import { openApp } from "./lab.ts";

interface ManySessions {
  /** From the start of all to the end of each. */
  endedMs: number[];
  pieces: number;
  merged: number;
  files: number;
  peakBytes: number;
}

const call = (name: string, input: unknown): unknown => ({ text: "as said", tool_calls: [{ name, input }] });

function rulesOf(sessions: number, pieces: number): unknown[] {
  const rules: unknown[] = [];
  for (let session = 1; session <= sessions; session += 1) {
    const ids = Array.from({ length: pieces }, (_value, index) => index + 1);
    const nameOf = (piece: number): string => `s${session}p${piece}`;
    const plan = {
      summary: `session ${session}`,
      assertions: ids.map((piece) => ({
        id: `A${piece}`,
        text: `${nameOf(piece)} is there`,
        from: "user",
        shown_by: "command",
        command: "true",
      })),
      nodes: ids.map((piece) => ({
        id: `n${piece}`,
        title: nameOf(piece),
        goal: `add ${nameOf(piece)}`,
        assertions: [`A${piece}`],
        after: [],
        files: [`src/${nameOf(piece)}.txt`],
      })),
      deferred: [],
    };
    rules.push({ when: { role: "architect", text: `session ${session}\\.` }, answer: call("submit_plan", plan) });
    for (const piece of ids) {
      const text = `your part of it:\\n${nameOf(piece)}\\n`;
      rules.push({
        when: { role: "engineer", text, step: 1 },
        answer: call("write_file", { path: `src/${nameOf(piece)}.txt`, content: `${nameOf(piece)}\n` }),
      });
    }
  }
  rules.push({ when: { role: "engineer" }, answer: call("complete", { summary: "built" }) });
  rules.push({ when: { role: "inspector" }, answer: call("submit_review", { summary: "fine", findings: [] }) });
  return rules;
}

/** `base` holds project and home. */
export async function runSessions(base: string, sessions: number, pieces: number): Promise<ManySessions> {
  const dir = path.join(base, "project");
  mkdirSync(path.join(dir, "src"), { recursive: true });
  writeFileSync(path.join(dir, "src/start.txt"), "start\n");
  gitIn(dir, "init", "-q", "-b", "main");
  gitIn(dir, "add", "-A");
  gitIn(dir, "commit", "-qm", "start");
  const rules = path.join(base, "rules.yaml");
  writeFileSync(rules, stringify({ rules: rulesOf(sessions, pieces) }));
  const env = { PATH: process.env["PATH"] ?? "", HOME: base, SYLK_HOME: path.join(base, "home") };
  const app = await openApp({ cwd: dir, env, clock: systemClock });
  let peakBytes = 0;
  const look = setInterval(() => (peakBytes = Math.max(peakBytes, process.memoryUsage.rss())), 250);
  try {
    const ids: string[] = [];
    for (let session = 1; session <= sessions; session += 1) {
      const options = {
        words: `do what belongs to session ${session}.`,
        constraints: [],
        criteria: [],
        checks: ["true"],
        approve: "auto" as const,
        mode: "team" as const,
        model: `scripted/${rules}`,
        profile: "default",
      };
      ids.push((await app.api.send({ type: "request.start", options })).id);
    }
    const begun = performance.now();
    const ended = await Promise.all(
      ids.map(async (id) => {
        const end = await app.api.send({ type: "request.run", id });
        return { end, ms: performance.now() - begun };
      }),
    );
    const work = ended.flatMap(({ end }) => end.work);
    return {
      endedMs: ended.map(({ ms }) => ms),
      pieces: work.length,
      merged: ended.filter(({ end }) => end.status === "done").flatMap(({ end }) => end.work.filter(({ state }) => state === "merged"))
        .length,
      files: gitIn(dir, "status", "--porcelain", "--untracked-files=all").trim().split("\n").length,
      peakBytes,
    };
  } finally {
    clearInterval(look);
    await app.close();
  }
}

export const spread = (times: readonly number[]): number => Math.max(...times) / Math.min(...times);
