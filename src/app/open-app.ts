/**
 * The one place that wires the house from configuration. Cheap to open: the database, the model
 * gate and the workspace come into being when something first needs them.
 */
import { existsSync } from "node:fs";
import path from "node:path";
import { findProject, homeFolder, openLog, openProject, resolveDirs, SylkError, type Clock } from "../kernel/index.ts";
import { openConfig } from "../kernel/config/index.ts";
import { createRedactor, createScreenPrompt, environmentSecrets } from "../guard/index.ts";
import { createGateModels } from "../knowledge/index.ts";
import { createQuestions, openStore } from "../journal/index.ts";
import { createAgentApi, modelOfRole, type AgentApi } from "./agent-api.ts";
import { createAuditApi, type AuditApi } from "./audit-api.ts";
import { createAuth, type AuthApi } from "./auth-api.ts";
import { configSchema } from "./config-schema.ts";
import { createEngine } from "./engine.ts";
import { createDoctor, type DoctorApi } from "./doctor.ts";
import { initProject, type InitReport } from "./init-project.ts";
import { createJournalApi, type JournalApi } from "./journal-api.ts";
import { createKnowledgeActions } from "./knowledge-skills/index.ts";
import { createKnowledgeApi, type KnowledgeApi } from "./knowledge-api.ts";
import { createPermissionApi, type PermissionApi, type PermissionPolicy } from "./permission-policy.ts";
import { createQuestionApi, type QuestionApi } from "./question-api.ts";
import { createProjectStore } from "./project-store.ts";
import { createRoles } from "../team/index.ts";
import { openModelGate, projectModelViews } from "../model/index.ts";
import {
  createOwnChecks,
  createRecall,
  createRules,
  createScreening,
  createTaskTrees,
  goalStatsView,
  goalView,
  taskView,
  type StepExtension,
  type TaskTrees,
} from "../step/index.ts";
import { mistakeView, preferenceView, ringView } from "../memory/index.ts";
import { createSkillExtension, skillView } from "../forge/index.ts";
import { createModelApi, createUsageApi, type ModelApi, type UsageApi } from "./model-api.ts";
import { createProjectChecks } from "./project-checks.ts";
import { createProjectTrust } from "./project-trust.ts";
import { switchedOff } from "./task-guard.ts";
import { createToolApi, type ToolApi } from "./tool-api.ts";
import { memoryPlace } from "./memory-place.ts";
import { adoptOldJournal, takeOverOldJournal } from "./old-journal.ts";
import { createMemoryApi, type MemoryApi } from "./memory-api.ts";
import { createTaskApi, type TaskApi } from "./task-api.ts";
import { relatedFiles } from "./related-files.ts";
import { createSkillApi, type SkillApi } from "./skill-api.ts";
import { standingOf } from "./setting-standing.ts";
import { createSecretApi, type SecretApi } from "./secret-api.ts";
import { createSettingApi, type SettingApi } from "./setting-api.ts";
import { createTrustApi, type TrustApi } from "./trust-api.ts";

export interface AppOptions {
  cwd: string;
  env: Record<string, string | undefined>;
  clock: Clock;
  /** The storage driver; the embedded one when absent. */
  openStore?: typeof openStore;
  /** Mode and rules of this run. */
  permissions?: PermissionPolicy | undefined;
  /** Somebody looks at what is asked and answers it; otherwise a run that needs an answer rests. */
  attended?: boolean | undefined;
  /** What an embedding program plugs into the step beside what ships. */
  extensions?: readonly StepExtension[] | undefined;
}

/** What surfaces may ask of the product. */
export interface App {
  readonly settings: SettingApi;
  readonly trust: TrustApi;
  readonly agents: AgentApi;
  readonly doctor: DoctorApi;
  readonly journal: JournalApi;
  readonly tasks: TaskApi;
  readonly questions: QuestionApi;
  readonly trees: Pick<TaskTrees, "merge" | "discard">;
  readonly changes: Pick<TaskTrees, "diff" | "undo">;
  readonly auth: AuthApi;
  readonly audit: AuditApi;
  readonly models: ModelApi;
  readonly usage: UsageApi;
  readonly permissions: PermissionApi;
  readonly secrets: SecretApi;
  readonly tools: ToolApi;
  readonly skills: SkillApi;
  readonly knowledge: KnowledgeApi;
  readonly memory: MemoryApi;
  /** What a person should know about where the project's files stand. */
  readonly notices: readonly string[];
  init(options: { share: boolean }): InitReport;
  close(): Promise<void>;
}

/** What `task resume` would take up again. */
const GOING_ON: readonly string[] = ["running", "interrupted", "escalated", "paused", "failed"];

export async function openApp(options: AppOptions): Promise<App> {
  const { cwd, env, clock, permissions: policy = {} } = options;
  if (!existsSync(cwd))
    throw new SylkError({
      code: "USAGE_NO_FOLDER",
      tier: "user_fixable",
      message: `there is no folder ${cwd}`,
      fix: "check the path given to -C",
    });
  const dirs = resolveDirs({ env, platform: process.platform });
  const project = openProject(findProject(cwd, dirs, homeFolder(env)), dirs);
  const trust = createProjectTrust(project);
  const trusts = (file: string, text: string): boolean => trust.now().file(file, text);
  const roles = createRoles({ userDir: path.join(dirs.config, "agents"), projectDir: project.project, trusts });
  const source = openConfig(
    configSchema,
    () => ({
      project: { root: project.project, file: project.config, standing: standingOf, trusts: trust.now().setting },
      userFile: path.join(dirs.config, "config.yaml"),
      localFile: project.personalConfig,
      env,
    }),
    clock,
  );
  const config = () => source.loaded.config;
  const notices = [...project.notices, ...(await takeOverOldJournal({ dirs, project, clock }))];
  const redactor = createRedactor();
  for (const value of environmentSecrets(env, redactor)) redactor.addKnownValue(value);
  const redact = (text: string): string => redactor.redact(text).text;
  const log = await openLog({
    dir: path.join(dirs.state, "logs"),
    level: config().log.level,
    retentionDays: config().log.retention_days,
    nowMs: clock.now(),
    redact,
  });
  const store = createProjectStore({
    dirs,
    project,
    config,
    clock,
    log,
    views: [taskView, goalView, goalStatsView, ringView, skillView, mistakeView, preferenceView, ...projectModelViews],
    openStore: options.openStore ?? openStore,
  });
  const screen = createScreenPrompt(redactor, async () => (await store.open()).journal);
  const questions = createQuestions({
    journal: async () => (await store.open()).journal,
    clock,
    attended: options.attended === true,
    redact,
    screen,
  });
  const auth = createAuth({
    dirs,
    project,
    env,
    clock,
    profile: () => config().profile,
    onValue: (value) => redactor.addKnownValue(value),
  });
  const tools = createToolApi({ dirs, project, env, clock, config, trusts });
  const checks = createProjectChecks(project.project, tools, trust);
  const skills = createSkillApi({
    store: () => store.open(),
    questions,
    gate: () => engine.gate(),
    trust,
    project,
    env,
    clock,
    redactor,
    defaultModel: () => config().llm.defaultModel ?? undefined,
  });
  const memoryDir = (): string => memoryPlace(project, config().memory.place);
  const knowledge = createKnowledgeApi({
    project,
    memoryDir,
    clock,
    redact,
    secrets: () => redactor.knownValues(),
    store: () => store.open(),
    models: createGateModels({
      gate: () => engine.gate(),
      embeddingModel: () => config().llm.embeddingModel,
      rerankModel: () => (config().llm.tiers["fast"] === undefined ? (config().llm.defaultModel ?? undefined) : "fast"),
      answerModel: () => config().llm.defaultModel ?? (config().llm.tiers["balanced"] === undefined ? undefined : "balanced"),
    }),
    answerWithModel: () => config().knowledge.answer_with_model,
    retrieval: () => {
      const { initial_k: initialK, max_depth: maxDepth, confidence_threshold, max_retrieval_tokens } = config().knowledge.retrieval;
      return { initialK, maxDepth, confidenceThreshold: confidence_threshold, maxTokens: max_retrieval_tokens };
    },
  });
  const engine = createEngine({
    extensions: [
      createScreening({ redactor, store: () => store.open(), off: () => switchedOff(config()) }),
      createRules({ projectDir: project.project, redactor, store: () => store.open(), trusts }),
      createSkillExtension(() => skills.catalogue(), redact),
      createRecall({
        store: () => store.open(),
        projectDir: project.project,
        agentsDir: path.join(project.root, "agents"),
        memoryDir,
        clock,
        log,
        redact,
        roles: () => roles.all(),
        roleOf: (id) => roles.get(id),
      }),
      createOwnChecks(project.project, (folder) => checks.find(folder)),
      {
        name: "knowledge",
        actions: createKnowledgeActions({
          knowledge: knowledge.api,
          root: project.project,
          redact,
          actionsOf: (role) => roles.get(role).spec.actions,
        }),
      },
      ...(options.extensions ?? []),
    ],
    findKnowledge: (query, maxTokens, signal) => knowledge.find(query, maxTokens, signal),
    relatedFiles: (file, signal) => relatedFiles(knowledge.api, file, signal),
    dirs,
    sandbox: () => tools.sandboxFor(),
    project,
    env,
    policy,
    redactor,
    findCredential: (provider) => auth.find(provider),
    modelEnvironment: () => auth.modelEnvironment(),
    clock,
    log,
    config,
    redact,
    store: () => store.open(),
    trusts,
    checks,
    roles,
    questions,
  });
  const trees = createTaskTrees({
    projectDir: project.project,
    stateDir: path.join(project.private, "work"),
    clock,
    redact,
    existing: () => store.existing(),
    store: () => store.open(),
  });
  const settings = createSettingApi({ loaded: () => source.loaded, dirs, project, trust });

  const tasks = createTaskApi({
    withNewTree: (make) => trees.withNewTree(make),
    existing: () => store.existing(),
    engine: () => engine.open(),
    project,
    clock,
    roles,
    modelOf: (role) => modelOfRole(role, config().llm),
    screen,
  });

  return {
    settings,
    trust: createTrustApi(trust, checks),
    agents: createAgentApi(roles),
    doctor: createDoctor({
      clock,
      dirs,
      project,
      notices,
      env,
      config,
      configWarnings: () => settings.warnings(),
      trust: () => trust.status(),
      store: () => store.open(),
    }),
    journal: createJournalApi({
      store: () => store.open(),
      existing: () => store.existing(),
      closeStore: () => store.close(),
      path: project.database,
      backupDir: store.backupDir,
      clock,
      redact,
      adopt: (options) => adoptOldJournal({ dirs, project, clock }, options),
      async cancelTasks(reason) {
        const open = (await tasks.list()).filter(({ status }) => GOING_ON.includes(status));
        for (const { id } of open) await tasks.cancel(id, reason);
        return open.length;
      },
      retention: () => ({ idleMs: config().storage.retention.archive_after, blobGraceMs: config().storage.retention.blob_grace }),
    }),
    trees,
    changes: trees,
    tasks,
    questions: createQuestionApi({ questions, existing: () => store.existing(), auth: auth.api }),
    auth: auth.api,
    audit: createAuditApi(() => store.existing()),
    models: createModelApi({
      // Listing needs no store, so that it works everywhere and leaves nothing behind.
      listing: async () => openModelGate({ config: config().llm, env: await auth.modelEnvironment(), clock, cwd: project.project, redact }),
      gate: () => engine.gate(),
      defaultModel: () => config().llm.defaultModel ?? undefined,
    }),
    usage: createUsageApi({ existing: () => store.existing(), clock }),
    secrets: createSecretApi(redactor, cwd),
    permissions: createPermissionApi({ dirs, project, env, policy, checks, roles }),
    tools: tools.api,
    skills,
    knowledge: knowledge.api,
    memory: createMemoryApi({
      store: () => store.open(),
      project,
      memoryDir,
      clock,
      env,
      redact,
      screen,
      roles,
    }),
    notices,
    init: ({ share }) => initProject(project, share ? settings.schema() : undefined),
    async close() {
      source[Symbol.dispose]();
      await engine.close();
      await tools.close();
      await knowledge.close();
      await store.close();
    },
  };
}
