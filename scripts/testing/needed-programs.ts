/** Before any test: says what this machine lacks, instead of leaving it to a hundred failures. */
import { isInstalled } from "../../test/support/installed.ts";

export function setup(): void {
  const sandbox = process.platform === "linux" ? ["bwrap", "socat", "rg"] : ["rg"];
  const missing = sandbox.filter((program) => !isInstalled(program));
  if (missing.length > 0)
    console.error(
      `${missing.join(", ")} not found: without them the sandbox's tests prove only that its absence is reported; scripts/setup.sh installs them`,
    );
  if (!isInstalled("git"))
    throw new Error("git is not installed, and tests of work trees, merging and history need it: run scripts/setup.sh");
}
