/** Puts the step engine together: stores, model gate, guarded workspaces. Opened on first use, closed with the app. */
import path from "node:path";
import { homeFolder, type Clock, type Dirs, type Log, type ProjectDirs } from "../kernel/index.ts";
import { openStore, type Store } from "../journal/index.ts";
import { openPermissions, type Permissions } from "../guard/index.ts";
import { machineModelViews, openModelGate, type ModelGate } from "../model/index.ts";
import { createProcessSlots, defaultLimits, openWorkspace, type PermissionGate, type WorkspaceAction } from "../workspace/index.ts";
import { createRegistry, type StepEngine } from "../step/index.ts";
import type { Config } from "./config-schema.ts";

export interface EngineParts {
  dirs: Dirs;
  project: ProjectDirs;
  env: Record<string, string | undefined>;
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
function allowChecks(permissions: Permissions, checks: readonly { command: string }[]): PermissionGate {
  const named = new Set(checks.map((check) => check.command.trim().replaceAll(/\s+/g, " ")));
  return {
    decide: async (action, signal) => {
      if (action.kind === "run" && named.has(commandText(action).trim().replaceAll(/\s+/g, " ")))
        return { kind: "allow", rule: "named by the person as a check" };
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
      env,
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
      tasksDir: path.join(project.root, "tasks"),
      workspaceFor: (task) => {
        const permissions = openPermissions({
          agentType: task.role,
          project: project.project,
          roots: [task.root],
          home: homeFolder(env),
          record: (record) => {
            log.info("permission", { agent: record.agentType, outcome: record.outcome, source: record.source, detail: record.detail });
            return Promise.resolve();
          },
        });
        return openWorkspace({
          root: task.root,
          gate: allowChecks(permissions, task.checks),
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
