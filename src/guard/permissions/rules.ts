/** Rules of people, from the strongest place: this session, this project, the user; and a plan's declarations. */
import path from "node:path";

export type RuleScope = "session" | "workflow" | "project" | "user";

export interface Rules {
  /** Token prefixes: `git commit`, `npm run lint`. */
  commands: readonly string[];
  /** Whole lines that were approved as they stand. */
  lines: readonly string[];
  domains: readonly string[];
  /** Tools of MCP servers: `server/tool`, or `server/*` for all of one. */
  tools: readonly string[];
  /** Glob against the path relative to the work tree, or absolute. */
  paths: Readonly<Record<string, "read" | "write" | "delete">>;
  denyCommands: readonly string[];
  denyDomains: readonly string[];
  denyPaths: readonly string[];
  denyTools: readonly string[];
}

export const NO_RULES: Rules = {
  commands: [],
  lines: [],
  domains: [],
  tools: [],
  paths: {},
  denyCommands: [],
  denyDomains: [],
  denyPaths: [],
  denyTools: [],
};

export interface RuleSet {
  layers: readonly { scope: RuleScope; rules: Rules }[];
  allowModifyEnv: boolean;
  allowModifyGitignore: boolean;
}

export interface RuleHit {
  scope: RuleScope;
  effect: "allow" | "deny";
  rule: string;
}

const RANK = { read: 0, write: 1, delete: 2 } as const;

function tokens(rule: string): string[] {
  return rule
    .trim()
    .split(/\s+/)
    .filter((t) => t !== "" && t !== "*");
}

/** `git push` against the words `git push --force`. */
function matchesTokens(rule: string, words: readonly (string | undefined)[], options: { anyCase: boolean }): boolean {
  const wanted = tokens(rule);
  const same = (a: string, b: string | undefined): boolean => a === b || (options.anyCase && a.toLowerCase() === b?.toLowerCase());
  return wanted.length > 0 && wanted.every((token, i) => same(token, words[i]));
}

/**
 * The deny rule that speaks against the words, else the longest allow rule. For denials the program
 * counts by its base name, and options between program and sub-command are skipped.
 */
export function findCommandRule(set: RuleSet, words: readonly (string | undefined)[]): RuleHit | undefined {
  const base = words[0] === undefined ? undefined : path.posix.basename(words[0]);
  const bare = [base, ...words.slice(1).filter((w) => w?.startsWith("-") !== true)];
  let best: RuleHit | undefined;
  for (const { scope, rules } of set.layers) {
    const denied = rules.denyCommands.find((r) => [[base, ...words.slice(1)], bare].some((w) => matchesTokens(r, w, { anyCase: true })));
    if (denied !== undefined) return { scope, effect: "deny", rule: denied };
    for (const rule of rules.commands) {
      if (matchesTokens(rule, words, { anyCase: false }) && tokens(rule).length > tokens(best?.rule ?? "").length)
        best = { scope, effect: "allow", rule };
    }
  }
  return best;
}

export function findLineRule(set: RuleSet, line: string): RuleHit | undefined {
  const layer = set.layers.find(({ rules }) => rules.lines.includes(line));
  return layer === undefined ? undefined : { scope: layer.scope, effect: "allow", rule: line };
}

/** A deny rule whose program is mentioned anywhere in a text that could not be taken apart. */
export function findMentionedRule(set: RuleSet, text: string): RuleHit | undefined {
  const mentioned = new Set(text.toLowerCase().split(/[^a-z0-9_.+-]+/));
  for (const { scope, rules } of set.layers) {
    const rule = rules.denyCommands.find((r) => mentioned.has((tokens(r)[0] ?? "").toLowerCase()));
    if (rule !== undefined) return { scope, effect: "deny", rule };
  }
  return undefined;
}

function matchesHost(rule: string, host: string): boolean {
  return rule === host || (rule.startsWith("*.") && host.endsWith(rule.slice(1)));
}

export function findDomainRule(set: RuleSet, host: string): RuleHit | undefined {
  for (const { scope, rules } of set.layers) {
    const denied = rules.denyDomains.find((r) => matchesHost(r, host));
    if (denied !== undefined) return { scope, effect: "deny", rule: denied };
  }
  for (const { scope, rules } of set.layers) {
    const rule = rules.domains.find((r) => matchesHost(r, host));
    if (rule !== undefined) return { scope, effect: "allow", rule };
  }
  return undefined;
}

export function findToolRule(set: RuleSet, server: string, tool: string): RuleHit | undefined {
  const names = [`${server}/${tool}`, `${server}/*`];
  for (const effect of ["deny", "allow"] as const)
    for (const { scope, rules } of set.layers) {
      const rule = (effect === "deny" ? rules.denyTools : rules.tools).find((one) => names.includes(one));
      if (rule !== undefined) return { scope, effect, rule };
    }
  return undefined;
}

function matchesPath(pattern: string, real: string, root: string | undefined): boolean {
  if (path.isAbsolute(pattern))
    return real === pattern || path.matchesGlob(real, pattern) || path.matchesGlob(real, path.join(pattern, "**"));
  if (root === undefined) return false;
  const relative = path.relative(root, real);
  return path.matchesGlob(relative, pattern) || path.matchesGlob(relative, path.join(pattern, "**"));
}

/** Delete implies write implies read (SEC-007). */
export function findPathRule(
  set: RuleSet,
  real: string,
  root: string | undefined,
  access: "read" | "write" | "delete",
): RuleHit | undefined {
  for (const { scope, rules } of set.layers) {
    const denied = rules.denyPaths.find((p) => matchesPath(p, real, root));
    if (denied !== undefined) return { scope, effect: "deny", rule: denied };
  }
  for (const { scope, rules } of set.layers) {
    for (const [pattern, given] of Object.entries(rules.paths)) {
      if (RANK[given] >= RANK[access] && matchesPath(pattern, real, root)) return { scope, effect: "allow", rule: `${pattern}: ${given}` };
    }
  }
  return undefined;
}
