/**
 * Before any test: builds the command as it is published, so that tests start what people install, and start it in half
 * the time. The folder is named by what is in it: a second run of the same sources finds it, and its compiled code.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { rolldown } from "rolldown";
import { reading, writing } from "../../rolldown.config.ts";

const BUILDS = path.resolve("node_modules/.cache/sylk-test-build");

function hashOf(folder: string): string {
  const hash = createHash("sha256");
  for (const name of readdirSync(folder).toSorted())
    hash
      .update(name)
      .update("\0")
      .update(readFileSync(path.join(folder, name)));
  return hash.digest("hex").slice(0, 16);
}

export async function setup(): Promise<void> {
  mkdirSync(BUILDS, { recursive: true });
  const made = mkdtempSync(path.join(BUILDS, "made-"));
  const input = { main: path.resolve("src/surface/cli/main.ts"), "warm-sylk": path.resolve("test/support/warm-sylk.ts") };
  await using build = await rolldown({ ...reading, input });
  await build.write({ ...writing, dir: made });
  const built = path.join(BUILDS, hashOf(made));
  try {
    renameSync(made, built);
  } catch (error) {
    // An earlier run, or one at the same time, left the same.
    if (!existsSync(built)) throw error;
    rmSync(made, { recursive: true });
  }
  process.env["TEST_SYLK_BUILD"] = built;
}
