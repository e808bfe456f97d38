/** Puts the step engine together: stores, model gate, guarded workspaces. Opened on first use, closed with the app. */
import path from "node:path";
import { homeFolder, type Clock, type Dirs, type Log, type ProjectDirs } from "../kernel/index.ts";
import { openStore, type Store } from "../journal/index.ts";
import { openAudit, openPermissions, type Audit, type Permissions } from "../guard/index.ts";
import { machineModelViews, openModelGate, type ModelGate } from "../model/index.ts";
import { createProcessSlots, defaultLimits, openWorkspace, type PermissionGate, type WorkspaceAction } from "../workspace/index.ts";
import { createRegistry, type StepEngine } from "../step/index.ts";
import type { Config } from "./config-schema.ts";
import { rulesOf, userPermissionFile, type PermissionPolicy } from "./permission-policy.ts";

export interface EngineParts {
  dirs: Dirs;
  project: ProjectDirs;
  env: Record<string, string | undefined>;
  /** The same plus the model keys from keychain and credential file; for the gate alone. */
  modelEnvironment: () => Promise<Record<string, string | undefined>>;
  policy: PermissionPolicy;
  clock: Clock;
  log: Log;
  config: () => Config;
  redact: (text: string) => string;
  store: () => Promise<Store>;
}

export interface EngineHolder {
  open(): Promise<StepEngine>;
  gate(): Promise<ModelGate>;
  close(): Promise<void>;
}

function commandText(action: Extract<WorkspaceAction, { kind: "run" }>): string {
  return action.command.kind === "shell" ? action.command.line : action.command.argv.join(" ");
}

/** The person named the checks, so those very commands need no further permission. */
function allowChecks(permissions: Permissions, checks: readonly { command: string }[], audit: Audit, agentType: string): PermissionGate {
  const named = new Set(checks.map((check) => check.command.trim().replaceAll(/\s+/g, " ")));
  return {
    decide: async (action, signal) => {
      if (action.kind === "run" && named.has(commandText(action).trim().replaceAll(/\s+/g, " "))) {
        const rule = "named by the person as a check";
        await audit.permission({ agentType, action, outcome: "allowed", source: "user_answer", detail: rule });
        return { kind: "allow", rule };
      }
      return permissions.decide(action, signal);
    },
  };
}

export function createEngine(parts: EngineParts): EngineHolder {
  const { dirs, project, env, clock, log, config, redact } = parts;
  let machine: Promise<Store> | undefined;
  let gate: Promise<ModelGate> | undefined;
  let engine: Promise<StepEngine> | undefined;
  const slots = createProcessSlots(defaultLimits.maxProcesses);

  const openMachine = (): Promise<Store> =>
    (machine ??= openStore({
      path: path.join(dirs.data, "shared", "system.db"),
      clock,
      durability: "process",
      busyTimeoutMs: config().storage.database.busy_timeout,
      views: machineModelViews,
    }));

  const openGate = async (): Promise<ModelGate> =>
    openModelGate({
      config: config().llm,
      subscriptions: config().subscription,
      env: await parts.modelEnvironment(),
      clock,
      cwd: project.project,
      redact,
      project: await parts.store(),
      machine: await openMachine(),
      onTrouble: (error) => log.warn("model gate", { reason: String(error) }),
    });

  const open = async (): Promise<StepEngine> => {
    const store = await parts.store();
    return {
      store,
      gate: await (gate ??= openGate()),
      registry: createRegistry(),
      clock,
      log,
      projectDir: project.project,
      tasksDir: path.join(project.root, "tasks"),
      workspaceFor: (task) => {
        const root = path.resolve(project.project, task.root);
        const audit = openAudit({ journal: store.journal, redact, actor: `agent/${task.role}`, sessionId: task.id });
        const permissions = openPermissions({
          agentType: task.role,
          project: project.project,
          roots: [root],
          home: homeFolder(env),
          mode: parts.policy.mode,
          sessionRules: rulesOf(parts.policy),
          userFile: userPermissionFile(dirs),
          ask: parts.policy.ask,
          record: (record) => audit.permission(record),
        });
        return openWorkspace({
          root,
          gate: allowChecks(permissions, task.checks, audit, task.role),
          redact,
          clock,
          blobs: store.blobs,
          parentEnv: env,
          slots,
        });
      },
    };
  };

  return {
    open: () => (engine ??= open()),
    gate: () => (gate ??= openGate()),
    async close() {
      await (await gate?.catch(() => undefined))?.[Symbol.asyncDispose]();
      await (await machine?.catch(() => undefined))?.close();
    },
  };
}
