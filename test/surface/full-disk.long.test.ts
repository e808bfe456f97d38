/** The disk is full in the middle of a request: a limit on the size of files refuses the journal's next write as a full disk does. */
import { spawnSync } from "node:child_process";
import { expect, test, vi } from "vitest";
import { gitIn } from "../support/knowledge-project.ts";
import { filesOf } from "../support/scripted-project.ts";
import { FILES, planOf, simplePiece, teamProject } from "../support/team-project.ts";
import { MAIN } from "../support/built-command.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 300_000 });

/** Enough for a plan and the first tests, in kilobytes; a request of two pieces writes several times as much. */
const ROOM = 1_500;

test("~STO-013: a full disk ends a request with what to do, leaves folder and journal whole, and with room again it goes on and does nothing twice", () => {
  const pieces = [simplePiece("loud"), simplePiece("calm")];
  const project = teamProject(planOf(pieces), pieces);
  const sylk = (args: string[], room = "unlimited") => {
    const env = { ...project.env, NO_COLOR: "1", NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "" };
    // A write past the limit is refused, not punished: the signal for it is ignored.
    const line = `trap '' XFSZ; ulimit -f ${room}; exec "$@"`;
    const { status, stdout, stderr } = spawnSync("bash", ["-c", line, "bash", process.execPath, MAIN, ...args], {
      cwd: project.dir,
      env,
      encoding: "utf8",
    });
    return { code: status, out: stdout, err: stderr };
  };
  const run = sylk(["run", "add both", "--approve", "auto", "--team", "--check", "node --test", "-m", project.rules], String(ROOM));
  expect([run.code, run.err]).toEqual([1, expect.stringMatching(/sylk\.db: the disk [\s\S]*fix: .*space/u)]);
  expect(filesOf(project.dir)).toEqual(FILES);
  expect(gitIn(project.dir, "status", "--porcelain")).toBe("");
  gitIn(project.dir, "fsck", "--connectivity-only");
  expect(sylk(["journal", "verify"])).toMatchObject({ code: 0 });
  const shown = JSON.parse(sylk(["session", "show", "--json"]).out) as { status: string; work: { state: string }[] };
  expect(shown.work.some(({ state }) => state === "merged")).toBe(false);
  const resumed = sylk(["session", "resume"]);
  expect([resumed.code, resumed.out]).toEqual([0, expect.stringContaining("done: every assertion has its evidence")]);
  const [loud, calm] = pieces;
  expect(filesOf(project.dir)).toEqual({ ...FILES, ...loud?.visible, ...loud?.builds[0], ...calm?.visible, ...calm?.builds[0] });
  expect(gitIn(project.dir, "branch", "--list", "sylk/*")).toBe("");
  const written = sylk(["session", "logs", "--json"])
    .out.trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; payload: { action?: string; target?: string } })
    .flatMap(({ type, payload }) => (type === "task.acted" && payload.action === "write_file" ? [String(payload.target)] : []));
  expect(written.toSorted()).toEqual(["src/calm.js", "src/loud.js", "test/calm.test.js", "test/loud.test.js"]);
  expect(sylk(["journal", "verify"])).toMatchObject({ code: 0 });
});
