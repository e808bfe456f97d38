/** A request recorded from the journal and played again by the real command: real trees, edits, tests and merges. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { gitIn } from "../support/knowledge-project.ts";
import { runSylk } from "../support/run-sylk.ts";
import { planOf, simplePiece, teamProject } from "../support/team-project.ts";
import { tempDir } from "../support/temp.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 400_000 });

const ALLOWED = ["--allow", "line:node --test"];

async function recorded() {
  const pieces = [simplePiece("alpha"), simplePiece("beta")];
  const project = teamProject(planOf(pieces), pieces);
  const tmp = tempDir("sylk-replays");
  const env = { ...project.env, TMPDIR: tmp, NO_COLOR: "1" };
  const sylk = (...args: string[]) => runSylk(project.dir, env, args, 300_000);
  const words = "add the functions, and never touch trim";
  const limits = ["--constraint", "no new dependencies", "--check", "node --test"];
  const run = await sylk("run", words, ...limits, "--approve", "auto", "--team", "-m", project.rules);
  expect(run).toMatchObject({ code: 0 });
  const tape = path.join(project.base, "tape.yaml");
  expect(await sylk("record", "-o", tape)).toMatchObject({ code: 0, out: expect.stringContaining("(done) written to") as unknown });
  return { ...project, sylk, tape };
}

test("sylk record writes a request from the journal, and sylk replay tells whether it ends the same", async () => {
  const { dir, base, tape, sylk } = await recorded();
  const text = readFileSync(tape, "utf8");
  expect(text).toContain("words: add the functions, and never touch trim");
  expect(text).toContain("- no new dependencies");
  expect(text.split("\n").filter((line) => line.includes(base))).toEqual([]);

  // Nothing of the user's folder is used but its commits.
  writeFileSync(path.join(dir, "src/trim.js"), "export const trim = () => 'spoiled';\n");
  expect(await sylk("trust", "--yes")).toMatchObject({ code: 0 });
  const { code, out } = await sylk("replay", tape, ...ALLOWED, "--keep", "--json");
  const told = JSON.parse(out.trim().split("\n").at(-1) ?? "") as { folder: string };
  expect({ code, told }).toMatchObject({ code: 0, told: { type: "replay", same: true, different: [] } });
  const { folder } = told;
  expect(readFileSync(path.join(folder, "src/alpha.js"), "utf8")).toBe(readFileSync(path.join(dir, "src/alpha.js"), "utf8"));
  expect(readFileSync(path.join(folder, "src/trim.js"), "utf8")).toContain("text.trim()");

  // One answer changed by hand: what is built still passes, and is something else.
  const changed = path.join(base, "changed.yaml");
  const line = "export const beta = (text) =>";
  expect(text).toContain(line);
  writeFileSync(changed, text.replaceAll(line, "export const beta = (given, text = given) =>"));
  const other = await sylk("replay", changed, ...ALLOWED);
  expect(other).toMatchObject({
    code: 1,
    out: expect.stringContaining("it did not end the same:\n  src/beta.js: other content\n") as unknown,
  });
  // Of the two copies only the one that was to be kept is there.
  expect(readdirSync(path.join(folder, "../.."))).toEqual([path.basename(path.dirname(folder))]);
});

test("what cannot be recorded or played is told with what to do", async () => {
  const pieces = [simplePiece("alpha")];
  const project = teamProject(planOf(pieces), pieces);
  const sylk = (...args: string[]) => runSylk(project.dir, project.env, args);
  const tape = path.join(project.base, "tape.yaml");
  expect(await sylk("record", "-o", tape)).toMatchObject({ code: 1, err: expect.stringContaining("no request here yet") as unknown });
  await sylk("run", "later", "--detach", "-m", project.rules);
  expect((await sylk("record", "-o", tape)).err).toContain("has not ended");
  expect(existsSync(tape)).toBe(false);

  const calls = path.join(import.meta.dirname, "../../demo/cassette.yaml");
  expect(await sylk("replay", calls)).toMatchObject({
    code: 2,
    err: expect.stringContaining("not the request they were made for") as unknown,
  });
  const told = async (checks: string[]): Promise<string> => {
    const request = { words: "w", constraints: [], criteria: [], checks, mode: "team", profile: "default", commit: "0".repeat(40) };
    const recording = { request, end: { how: "done", files: {} } };
    writeFileSync(tape, JSON.stringify({ cassette: 1, recorded_at: "then", recording }));
    return (await sylk("replay", tape)).err;
  };
  expect(await told([])).toContain("is not trusted");
  expect(await sylk("trust", "--yes")).toMatchObject({ code: 0 });
  expect(await told(["sudo make install"])).toContain("wants to run `sudo make install`, which is not allowed here");
  expect(await told([])).toContain("has no commit 000000000000");
  expect(gitIn(project.dir, "status", "--porcelain")).toBe("");
});
