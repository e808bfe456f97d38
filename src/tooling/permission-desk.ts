/** What agents may do in this project, for surfaces: remembered rules, and what would be answered. */
import path from "node:path";
import { keptRules, openPermissions, rulesOf, USER_RIGHTS, type PermissionOptions } from "../guard/index.ts";
import { canonicalJson, type Dirs, type ProjectDirs, systemPaths } from "../kernel/index.ts";
import { toCommandLine } from "../workspace/index.ts";
import type { ProjectChecks } from "./project-checks.ts";

export function userPermissionFile(dirs: Dirs): string {
  return path.join(dirs.config, "permissions.yaml");
}

export interface PermissionApi {
  /** Remembered rules of the user and of this project. */
  list(): { scope: "user" | "project"; file: string; rules: ReturnType<typeof rulesOf> & { credentials: readonly string[] } }[];
  allow(rule: string, scope: "user" | "project"): void;
  deny(rule: string, scope: "user" | "project"): void;
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
  /** Mode and rules of this run. */
  policy: Pick<PermissionOptions, "mode"> & Parameters<typeof rulesOf>[0];
  checks: ProjectChecks;
  /** Throws for a role nobody knows. */
  rightsOf: (role: string) => PermissionOptions["role"];
}): PermissionApi {
  const rightsOf = (role: string): PermissionOptions["role"] => (role === USER_RIGHTS.id ? USER_RIGHTS : parts.rightsOf(role));
  const fileOf = (scope: "user" | "project"): string => (scope === "user" ? userPermissionFile(parts.dirs) : parts.project.permissions);
  return {
    list: () =>
      (["user", "project"] as const).map((scope) => {
        const { rules, credentials } = keptRules.read(fileOf(scope));
        return { scope, file: fileOf(scope), rules: { ...rules, credentials } };
      }),
    allow: (rule, scope) => {
      if (scope === "project") parts.project.claim();
      keptRules.allow(fileOf(scope), rule);
    },
    deny: (rule, scope) => {
      if (scope === "project") parts.project.claim();
      keptRules.deny(fileOf(scope), rule);
    },
    forget: (rule, scope) => keptRules.forget(fileOf(scope), rule),
    capabilities: (role) => rightsOf(role).capabilities,
    async check(role, line) {
      const { usable } = await parts.checks.find(parts.project.project);
      const programs = await parts.checks.programs(
        usable.map(({ command }) => command),
        parts.project.project,
      );
      const permissions = openPermissions({
        role: rightsOf(role),
        project: parts.project.project,
        projectFile: parts.project.permissions,
        home: systemPaths.home(parts.env),
        env: parts.env,
        searchPath: parts.env["PATH"],
        mode: parts.policy.mode,
        sessionRules: rulesOf(parts.policy),
        userFile: userPermissionFile(parts.dirs),
        buildsAreSafe: await parts.checks.sandboxed(),
        checkPrograms: () => programs,
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
