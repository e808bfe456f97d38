/** What a shell line would run, flattened: every simple command in it, however deep it is nested. */

export interface Word {
  /** The text after quote removal; undefined when something decides it only at run time. */
  value: string | undefined;
  /** Literal text before the first part that is decided at run time. */
  leading: string;
  /** As written. */
  source: string;
  /** Any part was quoted or escaped. */
  quoted: boolean;
  /** Starts with an unquoted `~/` or is `~`. */
  tilde: boolean;
  /** Expands to file names. */
  glob: boolean;
  /** Holds a variable or a substitution. */
  computed: boolean;
  /** May become several words: an unquoted variable, substitution or brace list. */
  splits: boolean;
}

export interface Redirect {
  /** `<`, `>`, `>>`, `<>`, `>|`, `<<` (here document), `<<<` (here string), `>&`, `<&`. */
  operator: string;
  /** The file, or the descriptor of `>&1`; the text of a here document. */
  target: Word;
}

export interface Assignment {
  name: string;
  value: Word;
}

export interface SimpleCommand {
  assignments: Assignment[];
  /** Name and arguments; empty for a bare assignment or redirection. */
  words: Word[];
  redirects: Redirect[];
}

export type ShellParse =
  | { kind: "parsed"; commands: SimpleCommand[] }
  /** Not understood, so nobody may assume that it is harmless. */
  | { kind: "refused"; reason: string; at: number };

/** A word that is exactly this text, as an argument vector would hold it. */
export function literalWord(value: string): Word {
  return { value, leading: value, source: value, quoted: true, tilde: false, glob: false, computed: false, splits: false };
}
