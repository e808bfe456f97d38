/** The shapes of a permission question and its answer. Expected outcomes are values. */
import { must } from "../../kernel/index.ts";
import type { RoleRights } from "./rights.ts";
import type { RuleScope, RuleSet } from "./rules.ts";

export interface PermissionContext {
  /** Who really acts, and what that role may do. */
  role: RoleRights;
  cwd: string;
  /** Folders it works in: the work tree, temp folders given to it. */
  roots: readonly string[];
  rules: RuleSet;
  /** Commands run in an OS sandbox, or the user trusts the project's own scripts. */
  buildsAreSafe: boolean;
  home: string;
  /** Places of keys and sign-ins below it, and where variables put them. */
  closed: readonly string[];
  /** Where programs are looked for, and the folders whose programs are anybody's; absent: not judged. */
  programs?: { searchPath: string; anybodys: readonly string[] } | undefined;
  /** How the work's own checks begin: what they run may be run on less, in a sandbox. */
  checkPrograms?: readonly (readonly string[])[] | undefined;
  /** False: the built-in safe lists count for nothing. */
  useSafeLists: boolean;
  /** Whether the tester's last run improved (GIT-020). */
  testsImproved?: boolean | undefined;
}

/** What would be remembered when the user says yes. */
export type Remember =
  | { kind: "command"; value: string }
  /** This exact line and no other. */
  | { kind: "line"; value: string }
  | { kind: "domain"; value: string }
  /** `server/tool` of an MCP server, or `server/*`. */
  | { kind: "tool"; value: string }
  /** `agent:provider`: the agent may use that account of the user's. */
  | { kind: "credential"; value: string }
  | { kind: "path"; value: string; access: "read" | "write" | "delete" };

export type AllowSource =
  | `${RuleScope}_allowlist`
  | "safe_list"
  | "safe_list_build"
  | "scope_read"
  | "scope_write"
  | "git_matrix"
  | "wrapper"
  | "nothing_to_run"
  | "user_answer"
  | "auto_mode"
  | "bypass_mode";

export type DenySource =
  /** Written down by a user as forbidden. */
  | { by: "rule"; scope: RuleScope }
  | {
      by:
        | "role_insufficient"
        | "git_matrix"
        | "session_isolation"
        | "not_a_host"
        | "protected"
        | "sensitive_file"
        | "plan_mode"
        | "user_answer"
        | "non_interactive"
        | "workflow_declaration";
    };

export type Decision =
  /** `sources`: what each part of it is allowed by. `placed`: of the user's rules only those for places have a part in it. */
  | { kind: "allow"; sources: readonly AllowSource[]; rule: string; placed?: true }
  | { kind: "deny"; source: DenySource; reason: string }
  /** `offers`: what a lasting yes could keep, narrowest first; each of them answers the whole question. */
  | { kind: "ask"; reason: string; offers: Remember[][] };

export function allow(source: AllowSource, rule: string): Decision {
  return { kind: "allow", sources: [source], rule };
}

/** By a user's rule for a place, which says nothing of what else is done there. */
export function allowPlace(scope: RuleScope, rule: string): Decision {
  return { kind: "allow", sources: [`${scope}_allowlist`], rule, placed: true };
}

export function deny(by: Exclude<DenySource["by"], "rule">, reason: string): Decision {
  return { kind: "deny", source: { by }, reason };
}

export function denyByRule(scope: RuleScope, reason: string): Decision {
  return { kind: "deny", source: { by: "rule", scope }, reason };
}

/** As records and messages name it. */
export function sourceText(decision: Decision): string {
  if (decision.kind === "ask") return "ask";
  if (decision.kind === "allow") return decision.sources.join("+");
  return decision.source.by === "rule" ? `deny:${decision.source.scope}` : decision.source.by;
}

export function ask(reason: string, ...offer: Remember[]): Decision {
  return { kind: "ask", reason, offers: offer.length === 0 ? [] : [offer] };
}

/** Offers that answer all of the questions; none when one of them has none. */
function offersOf(asked: readonly { offers: Remember[][] }[]): Remember[][] {
  if (asked.some(({ offers }) => offers.length === 0)) return [];
  const steps = Math.max(...asked.map(({ offers }) => offers.length));
  return Array.from({ length: steps }, (_v, step) => asked.flatMap(({ offers }) => must(offers[Math.min(step, offers.length - 1)])));
}

/** The strictest of several: one denial denies, one question asks for all. */
export function combine(decisions: readonly Decision[]): Decision {
  const denied = decisions.find((d) => d.kind === "deny");
  if (denied !== undefined) return denied;
  const asked = decisions.filter((d) => d.kind === "ask");
  if (asked.length > 0) return { kind: "ask", reason: [...new Set(asked.map((d) => d.reason))].join("; "), offers: offersOf(asked) };
  const allowed = decisions.filter((d) => d.kind === "allow");
  const sources = [...new Set(allowed.flatMap((d) => d.sources))];
  const named = allowed.some((d) => d.placed !== true && d.sources.some((source) => source.endsWith("_allowlist")));
  return {
    kind: "allow",
    sources: sources.length === 0 ? ["nothing_to_run"] : sources,
    rule: [...new Set(allowed.map((d) => d.rule))].join(", "),
    ...(!named && allowed.some((d) => d.placed === true) ? { placed: true } : {}),
  };
}
