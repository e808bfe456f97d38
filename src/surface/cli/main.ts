#!/usr/bin/env node
// The command's front door. `--version` must cost little more than starting Node, so nothing is
// imported before it is known to be needed.
import { enableCompileCache } from "node:module";
import { setFlagsFromString } from "node:v8";
import manifest from "../../../package.json" with { type: "json" };

const argv = process.argv.slice(2);
if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
  process.stdout.write(`${manifest.version}\n`);
} else {
  if (process.env["NODE_COMPILE_CACHE"] === undefined) enableCompileCache();
  // Some terminals do not know how wide they are.
  for (const stream of [process.stdout, process.stderr]) if (stream.isTTY && stream.columns === 0) stream.columns = 80;
  const { runCli } = await import("./run-cli.ts");
  // Short-lived objects are collected sooner instead of in ever larger rooms: a sixth of the memory, for little time (but for
  // much while modules are read, so not before).
  setFlagsFromString("--semi-space-growth-factor=1");
  process.exitCode = await runCli(argv);
}
