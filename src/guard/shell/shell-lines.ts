/** The guard's reader of shell lines for the floors above: one strict reader, so that all mean the same by a line. */
import { parseShell } from "./parse-shell.ts";
import { literalWord } from "./types.ts";
import { unwrapCommands } from "./unwrap-command.ts";

export const shellLines = { parse: parseShell, unwrap: unwrapCommands, literalWord } as const;
