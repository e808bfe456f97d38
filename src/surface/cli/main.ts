#!/usr/bin/env node
// The command's front door. `--version` must cost little more than starting Node, so nothing is
// imported before it is known to be needed.
import { enableCompileCache } from "node:module";
import manifest from "../../../package.json" with { type: "json" };

const argv = process.argv.slice(2);
if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
  process.stdout.write(`${manifest.version}\n`);
} else {
  if (process.env["NODE_COMPILE_CACHE"] === undefined) enableCompileCache();
  const { runCli } = await import("./run-cli.ts");
  process.exitCode = await runCli(argv);
}
