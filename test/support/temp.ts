import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

/** A folder that is removed when the test ends. */
export function tempDir(name = "sylk-test", within = tmpdir()): string {
  const dir = mkdtempSync(path.join(within, `${name}-`));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 3 }));
  return dir;
}
