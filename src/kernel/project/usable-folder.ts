/** Whether a command can be carried out in a folder at all, in words for who named it. */
import { accessSync, constants, statSync } from "node:fs";
import { SylkError, systemCode } from "../errors.ts";

function whyNot(folder: string): string | undefined {
  try {
    const info = statSync(folder, { throwIfNoEntry: false });
    if (info === undefined) return `there is no folder ${folder}`;
    if (!info.isDirectory()) return `${folder} is no folder`;
    accessSync(folder, constants.R_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return `you may not look into ${folder} (${systemCode(error) ?? "unknown"})`;
  }
}

export function assertUsableFolder(folder: string): void {
  const message = whyNot(folder);
  if (message === undefined) return;
  throw new SylkError({ code: "USAGE_NO_FOLDER", tier: "user_fixable", message, fix: "check the path given to -C, and your rights there" });
}
