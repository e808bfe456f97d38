/** What the guard means for a task: its permissions, its audit trail, its credentials, its arguments. */
import path from "node:path";
import {
  askUser,
  createBroker,
  createToolCredentials,
  keptRules,
  openAudit,
  openPermissions,
  rulesOf,
  type Audit,
  type Credentials,
  type PermissionOptions,
  type Permissions,
  type Redactor,
  type ToolCredentials,
} from "../guard/index.ts";
import type { Questions, Store } from "../journal/index.ts";
import { canonicalJson, once, type Clock, type Dirs, type ProjectDirs, type Log, systemPaths } from "../kernel/index.ts";
import { toCommandLine, type PermissionGate, type WorkspaceAction } from "../workspace/index.ts";
import type { Place, RoleSpec } from "../protocol/index.ts";
import { taskView } from "./task-view.ts";
import { userPermissionFile, type ProjectChecks } from "../tooling/index.ts";
import { STREAMS, DEFAULT_SESSION, agentActor, type Payload } from "../protocol/events/index.ts";
import { placeFolder } from "./place-folder.ts";

interface GuardedTask {
  id: string;
  session: string;
  role: string;
  place: Place;
  /** What it goes on in, unless this run was given a mode of its own. */
  mode?: Payload<"task.created">["mode"];
  checks: readonly { command: string; from?: Payload<"task.created">["checks"][number]["from"] }[];
}

/** What would be said to a command: it runs, somebody is asked first, or it never does. */
type MayRun = "runs" | "asks" | "never";

export interface TaskGuard {
  gateFor(task: GuardedTask): PermissionGate;
  /** Asks nobody and remembers nothing. */
  mayRun(task: GuardedTask, command: string): Promise<MayRun>;
  credentialsFor(task: GuardedTask): ToolCredentials;
}

/** What the configuration says about permissions, the trail and credentials. */
interface GuardConfig {
  security: {
    audit: Readonly<Record<"log_permissions" | "log_file_ops" | "log_process_exec" | "log_network" | "log_config", boolean>>;
    permissions: { use_safe_defaults: boolean; custom_safe_list: string | null; persist_permissions: boolean };
  };
  credential_scopes: Readonly<Record<string, RoleSpec["credentials"]>>;
}

export interface TaskGuardParts {
  dirs: Dirs;
  project: ProjectDirs;
  env: Record<string, string | undefined>;
  clock: Clock;
  /** Mode and rules of this run. */
  policy: Pick<PermissionOptions, "mode"> & Parameters<typeof rulesOf>[0];
  redactor: Redactor;
  log: Log;
  findCredential: Credentials["find"];
  config: () => GuardConfig;
  checks: ProjectChecks;
  roleOf: (id: string) => RoleSpec;
  questions: Questions;
  /** Hosts the user chose to get packages from. */
  registryHosts: () => readonly string[];
}

/** Which kinds of act the configuration leaves out of the trail. */
export function switchedOff(config: GuardConfig): ReadonlySet<Payload<"audit.recorded">["category"]> {
  const { log_permissions, log_file_ops, log_process_exec, log_network, log_config } = config.security.audit;
  const kept = { permission: log_permissions, file: log_file_ops, process: log_process_exec, network: log_network, config: log_config };
  return new Set((Object.keys(kept) as (keyof typeof kept)[]).filter((category) => !kept[category]));
}

interface Judge {
  judge(action: WorkspaceAction): Promise<MayRun>;
}

/** Written down by a user as forbidden; other refusals are defaults, which naming a check overrides. */
const isDenied = (permissions: Permissions, action: WorkspaceAction, by: "rule" | "plan_mode"): boolean => {
  const decision = permissions.preview(action);
  return decision.kind === "deny" && decision.source.by === by;
};

/**
 * What the user named as a check needs no question; what was found in the project runs inside the sandbox,
 * or where a user agreed to that very text. A rule that denies either still counts.
 */
function allowChecks(
  permissions: Permissions,
  task: GuardedTask,
  audit: Audit,
  checks: ProjectChecks,
  /** What the checks run is known before a command is judged. */
  known: () => Promise<unknown>,
): PermissionGate & Pick<Judge, "judge"> {
  // Both sides are read by the same parser, so quotes and spaces mean the same; a shell line counts as it is written.
  const from = new Map(task.checks.map((check) => [canonicalJson(toCommandLine(check.command) ?? null), check.from]));
  const ruleFor = async (action: WorkspaceAction): Promise<{ source: "user_answer" | "safe_list_build"; detail: string } | undefined> => {
    if (action.kind !== "run") return undefined;
    const key = canonicalJson(action.command);
    if (!from.has(key) || isDenied(permissions, action, "rule")) return undefined;
    if (from.get(key) === "person") return { source: "user_answer", detail: "named by the person as a check" };
    // What a model wrote is no check of anybody's, and who only plans runs nothing that the user did not name.
    if (from.get(key) === "agent" || isDenied(permissions, action, "plan_mode")) return undefined;
    const detail = await checks.rule(action.command, action.cwd);
    return detail === undefined ? undefined : { source: "safe_list_build", detail };
  };
  return {
    judge: async (action) => {
      await known();
      if ((await ruleFor(action)) !== undefined) return "runs";
      const { kind } = permissions.preview(action);
      return kind === "allow" ? "runs" : kind === "ask" ? "asks" : "never";
    },
    decide: async (action, signal) => {
      if (action.kind === "run") await known();
      // What Sylk reads by the way is worth nobody's question.
      if (action.kind === "connect" && permissions.preview(action).kind === "ask")
        return { kind: "deny", reason: `nobody allowed to reach ${action.target}`, rule: "ask" };
      const rule = await ruleFor(action);
      if (rule === undefined) return permissions.decide(action, signal);
      await audit.permission({ role: task.role, action, outcome: "allowed", ...rule });
      return { kind: "allow", rule: rule.detail };
    },
  };
}

/** Where commands are judged as sandboxed, no permission outlives the sandbox. */
function inSandbox(gate: PermissionGate, sandboxed: boolean): PermissionGate {
  return {
    decide: async (action, signal) => {
      const decision = await gate.decide(action, signal);
      return decision.kind === "allow" && action.kind === "run" ? { ...decision, onlySandboxed: sandboxed } : decision;
    },
  };
}

export function createTaskGuard(parts: TaskGuardParts, store: Store, { sandboxed }: { sandboxed: boolean }): TaskGuard {
  const { project, dirs, env, clock, policy, redactor } = parts;
  const redact = (text: string): string => redactor.redact(text).text;
  const auditFor = (task: { id: string; session: string; role: string }): Audit =>
    openAudit({
      journal: store.journal,
      redact,
      actor: agentActor(task.role),
      sessionId: task.session,
      taskId: task.id,
      off: switchedOff(parts.config()),
    });
  const asking = ({ id, session, role }: GuardedTask) => ({
    id,
    session,
    role,
    async point() {
      const state = await store.journal.get(taskView, STREAMS.task(id));
      return String(state?.pending?.step ?? state?.step ?? 0);
    },
  });
  /** A command that nobody is there to allow, and that the task did not ask for before. */
  const nobodyYet = async (id: string, action: Extract<WorkspaceAction, { kind: "run" }>): Promise<boolean> => {
    if (parts.questions.attended(id)) return false;
    const state = await store.journal.get(taskView, STREAMS.task(id));
    const wanted = canonicalJson(action.command);
    const asked = (state?.history ?? []).flatMap(({ actions }) => actions).filter(({ outcome }) => outcome === "refused");
    return !asked.some(({ target }) => canonicalJson(toCommandLine(target) ?? null) === wanted);
  };
  const broker = createBroker({
    credentials: { find: parts.findCredential },
    clock,
    // The user's setting replaces a role's scope whole (CRE-010).
    scopeOf: (role) => {
      const { credential_scopes: own } = parts.config();
      return Object.hasOwn(own, role) ? own[role] : parts.roleOf(role).credentials;
    },
    consents: [project.permissions, userPermissionFile(dirs)].flatMap((file) => [...keptRules.read(file).credentials]),
    onConsent: (consent) => keptRules.consent(project.permissions, consent),
    record: (record) => auditFor({ id: record.agentId, session: DEFAULT_SESSION, role: record.role }).credential(record),
    onValue: (value) => redactor.addKnownValue(value),
  });
  const judgeOf = (task: GuardedTask): PermissionGate & Judge => {
    const audit = auditFor(task);
    const { use_safe_defaults, custom_safe_list, persist_permissions } = parts.config().security.permissions;
    const root = placeFolder(project.project, task.place);
    const rules = rulesOf(policy);
    const mode = policy.mode ?? task.mode;
    let programs: string[][] = [];
    const known = once(async () => {
      if (sandboxed)
        programs = await parts.checks.programs(
          task.checks.flatMap((check) => (check.from === "agent" ? [] : [check.command])),
          root,
        );
    });
    const permissions = openPermissions({
      role: parts.roleOf(task.role),
      project: project.project,
      projectFile: project.permissions,
      roots: [root],
      checkPrograms: () => programs,
      home: systemPaths.home(env),
      env,
      searchPath: env["PATH"],
      // What stands in a work tree is not the user's yet: the merge asks.
      mode: mode === "ask-edits" && task.place.kind === "tree" ? "default" : mode,
      sessionRules: { ...rules, domains: [...rules.domains, ...parts.registryHosts()] },
      userFile: userPermissionFile(dirs),
      ...askUser(parts.questions, asking(task)).permission,
      nobodyYet: (action) => nobodyYet(task.id, action),
      useSafeLists: use_safe_defaults,
      customSafeList: custom_safe_list === null ? undefined : path.resolve(project.project, custom_safe_list),
      persist: persist_permissions,
      buildsAreSafe: sandboxed,
      record: (record) => {
        const written = audit.permission(record);
        // Looking harms nobody: its record is written with the next thing that is.
        if (record.outcome !== "allowed" || record.action.kind !== "read") return written;
        written.catch((error: unknown) => parts.log.warn("a read was not recorded", { reason: String(error) }));
        return Promise.resolve();
      },
    });
    return allowChecks(permissions, task, audit, parts.checks, known.get);
  };
  return {
    gateFor: (task) => inSandbox(judgeOf(task), sandboxed),
    async mayRun(task, line) {
      const command = toCommandLine(line);
      if (command === undefined) return "never";
      return judgeOf(task).judge({ kind: "run", command, cwd: placeFolder(project.project, task.place), background: false, network: [] });
    },
    credentialsFor: (task) =>
      createToolCredentials({ broker, agentId: task.id, role: task.role, clock, ask: askUser(parts.questions, asking(task)).credential }),
  };
}
