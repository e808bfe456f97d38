/** Programs that only some tests need: they are left out, and say why, where one is missing. */
import { accessSync, constants } from "node:fs";
import path from "node:path";

export function isInstalled(program: string): boolean {
  return (process.env["PATH"] ?? "").split(path.delimiter).some((folder) => {
    try {
      accessSync(path.join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Empty where all are there. */
export const notInstalled = (programs: readonly string[]): string => programs.filter((program) => !isInstalled(program)).join(", ");

/** What a title says about a test that is left out. */
export const leftOut = (missing: string): string =>
  missing === "" ? "" : ` (left out: not here: ${missing}; scripts/setup.sh installs it)`;
