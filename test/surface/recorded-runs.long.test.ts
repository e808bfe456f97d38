/** Whole requests in other languages, as anybody starts them: the real command, real trees, edits, tests and merges; only the model is recorded. */
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import { gitIn } from "../support/knowledge-project.ts";
import { leftOut, notInstalled } from "../support/installed.ts";
import { runSylk } from "../support/run-sylk.ts";
import { privateOf } from "../support/scripted-project.ts";
import { tempDir } from "../support/temp.ts";

const RUNS = path.join(import.meta.dirname, "../fixtures/runs");
const start = promisify(execFile);

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

interface Line {
  type: string;
  what?: string;
  piece?: string;
  status?: string;
  shape?: { mode: string };
  usage?: { calls: number };
}

/** What a program of the project ends with and says. */
interface Said {
  code: number;
  out: string;
  err: string;
}

/** The request of a fixture, on a copy of its project that is trusted, answered by its cassette; what its plan runs may run without a sandbox too. */
async function play(name: string, planned: readonly string[], ...flags: string[]) {
  const base = tempDir(`sylk-${name}`);
  const dir = path.join(base, "project");
  cpSync(path.join(RUNS, name, "project"), dir, { recursive: true });
  gitIn(dir, "init", "-q", ".");
  gitIn(dir, "add", "-A");
  gitIn(dir, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "start");
  // What Go compiled is kept from command to command; otherwise each begins with an empty cache.
  const cache = path.join(base, "cache");
  mkdirSync(cache);
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: base,
    SYLK_HOME: path.join(base, "home"),
    NO_COLOR: "1",
    GOCACHE: cache,
    GOFLAGS: "-mod=mod",
    SYLK_SECURITY_SANDBOX_WRITABLE: cache,
  };
  const words = readFileSync(path.join(RUNS, name, "request.txt"), "utf8").trim();
  const model = `replay/${path.join(RUNS, name, "cassette.yaml")}?lenient`;
  expect(await runSylk(dir, env, ["trust", "--yes"])).toMatchObject({ code: 0 });
  const allowed = planned.flatMap((line) => ["--allow", `line:${line}`]);
  const request = ["run", words, "--approve", "auto", ...allowed, "-m", model, "--json", ...flags];
  const told = await runSylk(dir, env, request, 500_000);
  expect({ ...told, out: told.code === 0 ? "" : told.out.slice(-2_000) }).toEqual({ code: 0, out: "", err: "" });
  const lines = told.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
  const run = async (program: string, ...args: string[]): Promise<Said> => {
    const child = start(program, args, { cwd: dir, env });
    return child.then(
      ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
      (error: { code: number; stdout: string; stderr: string }) => ({ code: error.code, out: error.stdout, err: error.stderr }),
    );
  };
  const trees = path.join(privateOf({ dir, env }), "work/trees");
  expect(existsSync(trees) ? readdirSync(trees) : []).toEqual([]);
  expect(gitIn(dir, "worktree", "list").trim().split("\n")).toHaveLength(1);
  return { dir, run, lines, outcome: lines.at(-1), put: (file: string, text: string) => writeFileSync(path.join(dir, file), text) };
}

/** The piece of each line that tells of this, in the order it was told. */
const piecesThat = (what: string, lines: readonly Line[]) => lines.filter((line) => line.what === what).map(({ piece }) => piece);

const PLANNED = ["python3 -m unittest tests.test_entry", "python3 -m unittest tests.test_main tests.test_report tests.test_minutes"];
const noPython = notInstalled(["python3"]);
test.skipIf(noPython !== "")(
  `a Python project: two pieces at once, each merged once, and what was asked for works${leftOut(noPython)}`,
  async () => {
    const { run, lines, outcome, put } = await play("hours", PLANNED, "--team");
    expect(outcome).toMatchObject({ type: "outcome", status: "done", shape: { mode: "team" } });
    expect(piecesThat("merged", lines)).toHaveLength(2);
    expect(new Set(piecesThat("merged", lines))).toEqual(new Set(["n1", "n2"]));
    expect(piecesThat("returned", lines)).toEqual([]);
    const at = (what: string): number[] => lines.flatMap((line, index) => (line.what === what ? [index] : []));
    expect(Math.max(...at("begins"))).toBeLessThan(Math.min(...at("merged")));

    const tests = await run("python3", "-m", "unittest", "-v");
    expect(tests).toMatchObject({ code: 0 });
    for (const file of ["test_entry", "test_midnight", "test_midnight_more", "test_week", "test_week_more"])
      expect(tests.err).toContain(`tests.${file}.`);
    put("late.txt", "2024-12-29 22:30-01:00 roof\n2024-12-30 08:00-09:00 roof\n");
    const hours = (...args: string[]): Promise<Said> => run("python3", "-m", "hours", ...args);
    expect(await hours("--by", "week", "late.txt")).toEqual({
      code: 0,
      out: "2024-W52    2:30\n2025-W01    1:00\ntotal       3:30\n",
      err: "",
    });
    expect((await hours("--by", "day", "late.txt")).out).toBe("2024-12-29    2:30\n2024-12-30    1:00\ntotal         3:30\n");
    expect((await hours("examples/march.txt")).out).toBe("office    1:45\nroof      8:00\ntotal     9:45\n");
  },
);

const noGo = notInstalled(["go"]);
test.skipIf(noGo !== "")(
  `a Go project: one piece, held-out tests through the command, and what was asked for works${leftOut(noGo)}`,
  async () => {
    const { dir, run, lines, outcome, put } = await play("settings", ["go test ./..."]);
    expect(outcome).toMatchObject({ type: "outcome", status: "done", shape: { mode: "solo" } });
    expect(piecesThat("merged", lines)).toEqual(["n1"]);
    expect(piecesThat("returned", lines)).toEqual([]);

    expect(await run("go", "test", "./...")).toMatchObject({ code: 0 });
    expect(readdirSync(dir)).toContain("references_test.go");
    expect(await run("go", "build", "-o", "settings", ".")).toMatchObject({ code: 0 });
    const printed = (text: string): Promise<Said> => {
      put("a.conf", text);
      return run("./settings", "a.conf");
    };
    const site = "url = http://${at}/\nat = ${host}:${port}\nhost = example.org\nport = 80\n";
    expect(await printed(site)).toEqual({
      code: 0,
      out: "at = example.org:80\nhost = example.org\nport = 80\nurl = http://example.org:80/\n",
      err: "",
    });
    expect(await printed("a = 1\nb = ${c}\n")).toEqual({ code: 1, out: "", err: "a.conf:2: c is not set\n" });
    expect(await printed("a = 1\nb = ${c}\nc = ${b}\n")).toEqual({ code: 1, out: "", err: "a.conf:2: b refers to itself\n" });
  },
);
