/** Programs that run the command they are given, and how to find it in their arguments. Data only. */

export interface WrapperOptions {
  /** Short options without a value, as one string. */
  flags: string;
  /** Short options that take a value. */
  valued: string;
  longFlags: readonly string[];
  longValued: readonly string[];
  /** Take a value only when it is glued on with `=`; the word after them is the command. */
  longOptional: readonly string[];
  /** Words between the options and the command. */
  positional: number;
  /** `NAME=value` words may stand before the command. */
  assignments: boolean;
}

const plain: WrapperOptions = { flags: "", valued: "", longFlags: [], longValued: [], longOptional: [], positional: 0, assignments: false };

export const WRAPPERS: Readonly<Record<string, WrapperOptions>> = {
  // Not `-i` and `-u`: what Sylk sets for a command, such as git's fixed settings, must reach it.
  env: { ...plain, flags: "0", longFlags: ["null"], assignments: true },
  timeout: {
    ...plain,
    flags: "v",
    valued: "ks",
    longFlags: ["foreground", "preserve-status", "verbose"],
    longValued: ["kill-after", "signal"],
    positional: 1,
  },
  nohup: plain,
  nice: { ...plain, valued: "n", longValued: ["adjustment"] },
  time: { ...plain, flags: "p" },
  command: { ...plain, flags: "p" },
  builtin: plain,
  exec: { ...plain, flags: "l", valued: "a" },
  stdbuf: { ...plain, valued: "ioe", longValued: ["input", "output", "error"] },
  setsid: { ...plain, flags: "fw", longFlags: ["fork", "wait"] },
  busybox: plain,
  xargs: {
    ...plain,
    flags: "0rtx",
    valued: "nPLsIdE",
    longFlags: ["null", "no-run-if-empty", "verbose", "exit"],
    longValued: ["max-args", "max-procs", "max-chars", "delimiter"],
    longOptional: ["max-lines", "replace"],
  },
};

/** Shells whose `-c` text is parsed like the line itself. */
export const SHELLS: ReadonlySet<string> = new Set(["sh", "bash", "dash", "ash", "ksh", "zsh"]);

/** Where the system's own programs live: `/bin/ls` is `ls`, `./ls` is not. */
export const SYSTEM_FOLDERS: readonly string[] = ["/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/", "/opt/homebrew/bin/"];
