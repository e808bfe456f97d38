/** A process that has the command loaded and runs one command line after another, each as if it were started anew. */
import { yieldToLoop } from "../../src/kernel/index.ts";
import { runCli } from "../../src/surface/cli/run-cli.ts";
import type { WarmAnswer, WarmCall } from "./run-sylk.ts";

let out = "";
let err = "";
const catching =
  (keep: (text: string) => void): typeof process.stdout.write =>
  (text: string | Uint8Array, ...rest: unknown[]) => {
    keep(typeof text === "string" ? text : Buffer.from(text).toString("utf8"));
    const told = rest.at(-1);
    if (typeof told === "function") told();
    return true;
  };
process.stdout.write = catching((text) => (out += text));
process.stderr.write = catching((text) => (err += text));
for (const emitter of [process, process.stdout, process.stderr]) emitter.setMaxListeners(0);

async function run({ args, cwd, env }: WarmCall): Promise<void> {
  [out, err] = ["", ""];
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  const code = await runCli(args).catch((error: unknown) => {
    err += String(error);
    return -1;
  });
  // Everything it left to be written in the next turn is still its own.
  await yieldToLoop();
  process.exitCode = undefined;
  process.send?.({ code, out, err } satisfies WarmAnswer);
}

process.on("message", (call: WarmCall) => void run(call));
process.on("disconnect", () => process.exit());
