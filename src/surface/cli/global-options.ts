/** Options that work with every word, for help and for the manual page. */
import { PERMISSION_MODES } from "../../app/index.ts";

export const GLOBAL_OPTIONS: readonly (readonly [string, string])[] = [
  ["-C, --cd <dir>", "work in another folder"],
  ["--json", "machine-readable output, one JSON value a line"],
  ["-q, --quiet", "no progress, no notes"],
  ["--no-color", "no colour (also NO_COLOR=1, and whenever the output is not a terminal)"],
  ["--plain", "lines only: nothing is drawn over, and `sylk` alone prints its first screen"],
  ["--connect <url>", "let a running `sylk serve` do it (also SYLK_CONNECT)"],
  ["--permission-mode <mode>", PERMISSION_MODES.join(", ")],
  ["--allow <rule>, --deny <rule>", "for this run: a command, domain:HOST, path:FOLDER=access or mcp:SERVER/TOOL"],
];
