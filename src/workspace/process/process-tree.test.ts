import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempWorkspace } from "../../../test/support/temp-workspace.ts";
import { treeOf } from "./process-tree.ts";

/** A process that ignores polite signals, starts the next level, and reports each pid. */
const STUBBORN = `
const { spawn } = require("node:child_process");
const { appendFileSync } = require("node:fs");
for (const s of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(s, () => {});
const depth = Number(process.argv[2]);
appendFileSync("pids", process.pid + "\\n");
if (depth > 0) spawn(process.execPath, [__filename, String(depth - 1)], { stdio: "inherit", detached: depth === 2 });
else console.log("all up");
setInterval(() => {}, 1000);
`;

test("~TOO-019 TOO-013 ~TOO-014 TOO-015 TOO-016: a tree of depth 4 that ignores SIGINT and SIGTERM is gone, no orphan is left", async () => {
  using t = tempWorkspace({ "stubborn.cjs": STUBBORN }, { limits: { sigintGraceMs: 300, sigtermGraceMs: 200 } });
  const cancel = new AbortController();
  const steps: string[] = [];
  let mark = "";
  const outcome = await t.workspace.processes.run({
    command: `echo $SYLK_INVOCATION; exec "${process.execPath}" stubborn.cjs 4`,
    signal: cancel.signal,
    onOutput: ({ text }) => (text === "all up" ? cancel.abort() : (mark = text)),
    onStopping: (signal) => steps.push(signal),
  });
  expect(outcome).toMatchObject({
    kind: "cancelled",
    partial: true,
    kill: { sentSIGINT: true, sentSIGTERM: true, sentSIGKILL: true, exitedAfter: "SIGKILL" },
  });
  expect(steps).toEqual(["SIGINT", "SIGTERM", "SIGKILL"]);
  const pids = readFileSync(path.join(t.root, "pids"), "utf8").trim().split("\n").map(Number);
  expect(pids).toHaveLength(5);
  for (const pid of pids) expect(await treeOf(pid, mark)).toEqual([]);
});
