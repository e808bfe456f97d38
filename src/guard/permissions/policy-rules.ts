/**
 * Rules as a user writes them: `docker build`, `line:sed -i s/a/b/ x.txt`, `domain:example.com`, `path:/srv/data=write`,
 * `mcp:github/create_issue`.
 * One that could never count is refused, with what would.
 */
import { SylkError } from "../../kernel/index.ts";
import { parseShell } from "../shell/parse-shell.ts";
import { SHELLS, WRAPPERS } from "../shell/wrappers.ts";
import { isForbidden } from "./decide-command.ts";
import { forgetRule, readPermissionFile, rememberAnswers, rememberDenial } from "./permission-file.ts";
import { NO_RULES, type Rules } from "./rules.ts";
import { CODE_OPTIONS, PRIVILEGED } from "./safe-lists.ts";
import type { Remember } from "./types.ts";

function parseRule(text: string): Remember {
  const [, kind = "command", value = text] = /^(domain|path|line|mcp):(.+)$/s.exec(text) ?? [];
  if (kind === "domain") return { kind: "domain", value: value.toLowerCase() };
  if (kind === "line") return { kind: "line", value: value.trim() };
  if (kind === "mcp") return { kind: "tool", value: value.includes("/") ? value.trim() : `${value.trim()}/*` };
  if (kind !== "path") return { kind: "command", value: text.trim() };
  const [file = "", access = "read"] = value.split("=");
  if (access !== "read" && access !== "write" && access !== "delete")
    throw new SylkError({
      code: "USAGE_PERMISSION",
      tier: "user_fixable",
      message: `${text} asks for ${access}`,
      fix: "write path:FOLDER=read, =write or =delete",
    });
  return { kind: "path", value: file, access };
}

const KINDS = "a rule is the beginning of a command, line:WHOLE LINE, domain:HOST, path:FOLDER=read|write|delete or mcp:SERVER/TOOL";

/** Refuses what is written like a rule of a kind and could never count as one: its author would believe in it. */
function mustCount(text: string, { kind, value }: Remember, example: string): void {
  if (value === "" || /^(?:domain|path|line|mcp):\s*$/u.test(text))
    throw noRule("the rule is empty", `write the beginning of a command, such as "${example}"`);
  const prefix = kind === "command" ? /^([a-z]{2,}):\S/iu.exec(value)?.[1] : undefined;
  if (prefix !== undefined) throw noRule(`there are no rules ${prefix}:…`, KINDS);
  if (kind === "domain" && !/^(?:\*\.)?(?:[\w-]+(?:\.[\w-]+)*|\[[\da-f:.]+\])$/u.test(value))
    throw noRule(`${value.trim()} is no host`, "write only the name, such as domain:example.com, or domain:*.example.com for all below it");
  if (kind === "path" && value.startsWith("~"))
    throw noRule(
      `${value} would be a folder of that name in the project`,
      "write the whole path of what is outside the project, beginning with /",
    );
}

/** Why the beginning of a command, allowed for good, would change nothing; undefined when it would. */
function withoutEffect(rule: string): string | undefined {
  const parsed = parseShell(rule.replace(/(?:\s+\*)+$/u, ""));
  const [command, ...more] = parsed.kind === "parsed" ? parsed.commands : [];
  const words = command?.words.map(({ value }) => value) ?? [];
  if (command === undefined || more.length > 0 || command.redirects.length + command.assignments.length > 0 || words.includes(undefined))
    return "it is a whole line, not the beginning of one command";
  const [name = "", ...args] = words;
  if (PRIVILEGED.has(name)) return `${name} is asked about each time, whatever is allowed`;
  if (SHELLS.has(name) || Object.hasOwn(WRAPPERS, name)) return `${name} runs another command, and that one is judged`;
  const code = Object.hasOwn(CODE_OPTIONS, name) ? (CODE_OPTIONS[name] ?? []) : [];
  const option = args.find((arg) => arg !== undefined && isForbidden(arg, code));
  return option === undefined ? undefined : `with ${option}, ${name} can run or change anything, depending on what follows`;
}

/** A rule that allows something. */
function parseAllowed(text: string): Remember {
  const rule = parseRule(text);
  mustCount(text, rule, "docker build");
  const why = rule.kind === "command" ? withoutEffect(rule.value) : undefined;
  if (why === undefined) return rule;
  const what = PRIVILEGED.has(rule.value.split(/\s/u)[0] ?? "")
    ? "answer when you are asked"
    : `allow one exact line with "line:<the whole line>", or answer "always" when you are asked about it`;
  throw noRule(`a rule ${rule.value} would have no effect: ${why}`, what);
}

/** A rule that forbids something. */
function parseDenied(text: string): Exclude<Remember, { kind: "line" | "credential" }> {
  const rule = parseRule(text);
  mustCount(text, rule, "docker push");
  if (rule.kind === "line" || rule.kind === "credential")
    throw noRule("an exact line cannot be denied: another would do the same", "deny the beginning of the command");
  return rule;
}

function noRule(message: string, fix: string): SylkError {
  return new SylkError({ code: "USAGE_PERMISSION", tier: "user_fixable", message, fix });
}

export function rulesOf(policy: { allow?: readonly string[] | undefined; deny?: readonly string[] | undefined }): Rules {
  const allow = (policy.allow ?? []).map(parseAllowed);
  const deny = (policy.deny ?? []).map(parseDenied);
  const of = (rules: Remember[], kind: Remember["kind"]): string[] => rules.filter((r) => r.kind === kind).map((r) => r.value);
  return {
    ...NO_RULES,
    commands: of(allow, "command"),
    lines: of(allow, "line"),
    domains: of(allow, "domain"),
    tools: of(allow, "tool"),
    paths: Object.fromEntries(allow.flatMap((r) => (r.kind === "path" ? [[r.value, r.access] as const] : []))),
    denyCommands: of(deny, "command"),
    denyDomains: of(deny, "domain"),
    denyPaths: of(deny, "path"),
    denyTools: of(deny, "tool"),
  };
}

/** The rules of one permission file, for a user who reads or changes them. Nothing is written when a rule is refused. */
export const keptRules = {
  read: readPermissionFile,
  allow: (file: string, rule: string): void => rememberAnswers(file, [parseAllowed(rule)]),
  deny: (file: string, rule: string): void => rememberDenial(file, parseDenied(rule)),
  /** `agent:provider`, as a user agreed to it. */
  consent: (file: string, value: string): void => rememberAnswers(file, [{ kind: "credential", value }]),
  /** False when there was no such rule. */
  forget: (file: string, rule: string): boolean => forgetRule(file, parseRule(rule).value),
} as const;
