#!/usr/bin/env node
// The command's front door. `--version` must cost little more than starting Node, so nothing is
// imported before it is known to be needed.
import { enableCompileCache } from "node:module";
import { setFlagsFromString } from "node:v8";
import manifest from "../../../package.json" with { type: "json" };

/** What is read from there is run: Node's own place, below the temporary folder, is one that others can write to. */
async function keepCompiled(): Promise<void> {
  const { systemPaths } = await import("../../kernel/places/index.ts");
  try {
    enableCompileCache(systemPaths.compiled());
  } catch {
    // No place for Sylk's own files, or none that can be written: every command that needs one says so itself.
  }
}

/** False when somebody has deleted the folder this was started in. */
function standsSomewhere(): boolean {
  try {
    return process.cwd() !== "";
  } catch {
    return false;
  }
}

const argv = process.argv.slice(2);
if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
  process.stdout.write(`${manifest.version}\n`);
} else if (!standsSomewhere()) {
  process.stderr.write("error: the folder you stand in is gone\n  fix: go to another one (cd ~) and try again\n");
  process.exitCode = 2;
} else {
  if (process.env["NODE_COMPILE_CACHE"] === undefined) await keepCompiled();
  // Some terminals do not know how wide they are.
  for (const stream of [process.stdout, process.stderr]) if (stream.isTTY && stream.columns === 0) stream.columns = 80;
  const { runCli } = await import("./run-cli.ts");
  // Short-lived objects are collected sooner instead of in ever larger rooms: a sixth of the memory, for little time (but for
  // much while modules are read, so not before).
  setFlagsFromString("--semi-space-growth-factor=1");
  process.exitCode = await runCli(argv);
}
