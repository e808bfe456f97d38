/** Rules as a user writes them: `docker build`, `domain:example.com`, `path:/srv/data=write`. */
import { SylkError } from "../../kernel/index.ts";
import { NO_RULES, type Rules } from "./rules.ts";
import type { Remember } from "./types.ts";

export function parseRule(text: string): Remember {
  const [, kind = "command", value = text] = /^(domain|path):(.+)$/.exec(text) ?? [];
  if (kind === "domain") return { kind: "domain", value: value.toLowerCase() };
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

export function rulesOf(policy: { allow?: readonly string[] | undefined; deny?: readonly string[] | undefined }): Rules {
  const allow = (policy.allow ?? []).map(parseRule);
  const deny = (policy.deny ?? []).map(parseRule);
  const of = (rules: Remember[], kind: Remember["kind"]): string[] => rules.filter((r) => r.kind === kind).map((r) => r.value);
  return {
    ...NO_RULES,
    commands: of(allow, "command"),
    domains: of(allow, "domain"),
    paths: Object.fromEntries(allow.flatMap((r) => (r.kind === "path" ? [[r.value, r.access] as const] : []))),
    denyCommands: of(deny, "command"),
    denyDomains: of(deny, "domain"),
    denyPaths: of(deny, "path"),
  };
}
