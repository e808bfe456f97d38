/** What a run may do, as the person chose it: mode, and rules of the command line. */
import path from "node:path";
import {
  forgetRule,
  NO_RULES,
  openPermissions,
  readPermissionFile,
  rememberAnswers,
  USER_RIGHTS,
  type PermissionOptions,
  type Remember,
  type Rules,
} from "../guard/index.ts";
import { canonicalJson, homeFolder, SylkError, type Dirs, type ProjectDirs } from "../kernel/index.ts";
import { toCommandLine } from "../workspace/index.ts";
import type { Roles } from "../team/index.ts";
import type { PermissionPolicy } from "./permission-modes.ts";
import type { ProjectChecks } from "./project-checks.ts";

function parseRule(text: string): Remember {
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

export function rulesOf(policy: PermissionPolicy): Rules {
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

export function userPermissionFile(dirs: Dirs): string {
  return path.join(dirs.config, "permissions.yaml");
}

export interface PermissionApi {
  /** Remembered rules of the user and of this project. */
  list(): { scope: "user" | "project"; file: string; rules: Rules & { credentials: readonly string[] } }[];
  allow(rule: string, scope: "user" | "project"): void;
  /** False when there was no such rule. */
  forget(rule: string, scope: "user" | "project"): boolean;
  /** What would happen to a command of this agent here, without running, asking or recording anything. */
  check(role: string, line: string): Promise<{ verdict: "allow" | "ask" | "deny"; why: string }>;
  capabilities(role: string): readonly string[];
}

/** A task would run this as one of the project's own checks. */
async function ruleOfCheck(checks: ProjectChecks, project: string, line: string): Promise<string | undefined> {
  const command = toCommandLine(line);
  const same = (other: string): boolean => canonicalJson(toCommandLine(other) ?? null) === canonicalJson(command ?? null);
  if (command === undefined || !(await checks.find(project)).usable.some((check) => same(check.command))) return undefined;
  return checks.rule(command, project);
}

export function createPermissionApi(parts: {
  dirs: Dirs;
  project: ProjectDirs;
  env: Record<string, string | undefined>;
  policy: PermissionPolicy;
  checks: ProjectChecks;
  roles: Roles;
}): PermissionApi {
  const rightsOf = (role: string): PermissionOptions["role"] => (role === USER_RIGHTS.id ? USER_RIGHTS : parts.roles.get(role).spec);
  const fileOf = (scope: "user" | "project"): string => (scope === "user" ? userPermissionFile(parts.dirs) : parts.project.permissions);
  return {
    list: () =>
      (["user", "project"] as const).map((scope) => {
        const { rules, credentials } = readPermissionFile(fileOf(scope));
        return { scope, file: fileOf(scope), rules: { ...rules, credentials } };
      }),
    allow: (rule, scope) => {
      if (scope === "project") parts.project.claim();
      rememberAnswers(fileOf(scope), [parseRule(rule)]);
    },
    forget: (rule, scope) => forgetRule(fileOf(scope), parseRule(rule).value),
    capabilities: (role) => rightsOf(role).capabilities,
    async check(role, line) {
      const permissions = openPermissions({
        role: rightsOf(role),
        project: parts.project.project,
        projectFile: parts.project.permissions,
        home: homeFolder(parts.env),
        mode: parts.policy.mode,
        sessionRules: rulesOf(parts.policy),
        userFile: userPermissionFile(parts.dirs),
        buildsAreSafe: await parts.checks.sandboxed(),
        record: () => Promise.resolve(),
      });
      const decision = permissions.preview({
        kind: "run",
        command: { kind: "shell", line },
        cwd: parts.project.project,
        background: false,
        network: [],
      });
      const rule = decision.kind === "ask" ? await ruleOfCheck(parts.checks, parts.project.project, line) : undefined;
      if (rule !== undefined) return { verdict: "allow", why: rule };
      return {
        verdict: decision.kind,
        why: decision.kind === "allow" ? `${decision.sources.join("+")}: ${decision.rule}` : decision.reason,
      };
    },
  };
}
