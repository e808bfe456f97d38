/** Puts the step engine together: stores, model gate, guarded workspaces. Opened on first use, closed with the app. */
import path from "node:path";
import { keptMode } from "../guard/index.ts";
import { once } from "../kernel/index.ts";
import { type Store, sqliteDriver } from "../journal/index.ts";
import { machineModelViews, openModelGate, type ModelGate } from "../model/index.ts";
import { createProcessSlots, defaultLimits, openWorkspace, type Sandbox } from "../workspace/index.ts";
import type { Config } from "./config-schema.ts";
import { treeEnvironment, type Formatter } from "../tooling/index.ts";
import { createRegistry, createTaskGuard, createWatchers, type TaskGuardParts } from "../step/extensions/index.ts";
import { createModelVoice, type LiveHub, type StepEngine, type StepExtension, FairScheduler, placeFolder } from "../step/index.ts";

export interface EngineParts extends TaskGuardParts {
  config: () => Config;
  live: LiveHub;
  /** The same plus the model keys from keychain and credential file; for the gate alone. */
  modelEnvironment: () => Promise<Record<string, string | undefined>>;
  redact: (text: string) => string;
  extensions: readonly StepExtension[];
  findKnowledge: StepEngine["findKnowledge"];
  relatedFiles: StepEngine["relatedFiles"];
  narrowTests: StepEngine["narrowTests"];
  sandbox: () => Sandbox;
  formatter: Formatter;
  store: () => Promise<Store>;
  /** What the project's secret files hold is known to the redactor after this. */
  knowSecrets: () => Promise<void>;
  trusts: StepEngine["trusts"];
  trees: () => StepEngine["trees"];
}

export interface EngineHolder {
  open(): Promise<StepEngine>;
  gate(): Promise<ModelGate>;
  close(): Promise<void>;
}

export function createEngine(parts: EngineParts): EngineHolder {
  const { dirs, project, env, clock, log, config, redact } = parts;
  const slots = createProcessSlots(defaultLimits.maxProcesses);

  // What belongs to this machine stays on it, whatever keeps the journal.
  const machine = once(() =>
    sqliteDriver.open({
      path: path.join(dirs.data, "shared", "system.db"),
      clock,
      durability: "process",
      busyTimeoutMs: config().storage.database.busy_timeout,
      views: machineModelViews,
    }),
  );

  const voice = createModelVoice({ sink: parts.live.sink, redact });
  const gate = once(async () => {
    const made = openModelGate({
      config: config().llm,
      subscriptions: config().subscription,
      env: await parts.modelEnvironment(),
      clock,
      cwd: project.project,
      projectId: project.id,
      redact,
      project: await parts.store(),
      machine: await machine.get(),
      onTrouble: (error) => log.warn("model gate", { reason: String(error) }),
    });
    parts.live.watch(async (signal) => {
      for await (const part of made.watch({}, signal)) voice(part);
    });
    return made;
  });

  const engine = once(async (): Promise<StepEngine> => {
    const store = await parts.store();
    await parts.knowSecrets();
    const guard = createTaskGuard(parts, store, { sandboxed: await parts.checks.sandboxed() });
    const shared = { store, questions: parts.questions, gate: await gate.get(), turns: new FairScheduler(), log };
    const watchers = createWatchers({
      ...shared,
      projectDir: project.project,
      trusts: parts.trusts,
      redact,
      clock,
      dir: path.join(project.private, "goal"),
      judgeModel: config().llm.tiers["fast"] === undefined ? undefined : "fast",
      engine: engine.get,
      confidence: config().goal_monitor.confidence,
    });
    return {
      ...shared,
      plansOnly: parts.policy.mode === "plan",
      keeps: keptMode(parts.policy.mode),
      credentialsFor: (task) => guard.credentialsFor(task),
      redact,
      extensions: [...parts.extensions, ...watchers],
      registry: createRegistry(parts.extensions.flatMap((extension) => extension.actions ?? [])),
      findKnowledge: parts.findKnowledge,
      relatedFiles: parts.relatedFiles,
      narrowTests: parts.narrowTests,
      clock,
      projectDir: project.project,
      trusts: parts.trusts,
      roleOf: parts.roleOf,
      stepTimeoutMs: config().llm.stepTimeoutMs,
      onWaiting: (waiting) => parts.live.sink({ type: "waiting", ...waiting }),
      tasksDir: project.tasks,
      trees: parts.trees(),
      mayRun: (task, command) => guard.mayRun(task, command),
      workspaceFor: (task) => {
        const root = placeFolder(project.project, task.place);
        const own = treeEnvironment(task.place);
        return openWorkspace({
          root,
          format: (file, text, signal) => parts.formatter.format(root, file, text, signal),
          gate: guard.gateFor(task),
          redact,
          clock,
          blobs: store.blobs,
          parentEnv: { ...env, ...own },
          passedEnv: [...config().security.environment, ...Object.keys(own)],
          slots,
          sandbox: parts.sandbox(),
          live: { heard: () => parts.live.isHeard(), tell: (part) => parts.live.sink({ ...part, task: task.id }) },
          settings: config().tools,
        });
      },
    };
  });

  return {
    open: engine.get,
    gate: gate.get,
    async close() {
      await (await gate.made())?.[Symbol.asyncDispose]();
      await (await machine.made())?.close();
    },
  };
}
