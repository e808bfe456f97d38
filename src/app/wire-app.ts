/**
 * The one place that wires the house from configuration. Cheap to open: the database, the model
 * gate and the workspace come into being when something first needs them.
 */
import path from "node:path";
import { findProject, once, openLog, openProject, systemMemory, systemPaths, type Clock } from "../kernel/index.ts";
import { openConfig } from "../kernel/config/index.ts";
import { createRedactor, createScreenPrompt, environmentSecrets, privatePlaces, type AccessToken } from "../guard/index.ts";
import {
  createProjectStore,
  createQuestionApi,
  createQuestions,
  sqliteDriver,
  type StoreDriver,
  type StoreOptions,
} from "../journal/index.ts";
import type { Api } from "../protocol/api/index.ts";
import { createApi } from "./create-api.ts";
import { createEventFeed } from "../journal/index.ts";
import { guardHandlers } from "./handlers/guard.ts";
import { journalHandlers } from "./handlers/journal.ts";
import { knowledgeHandlers } from "./handlers/knowledge.ts";
import { mcpHandlers } from "./handlers/mcp.ts";
import { memoryHandlers } from "./handlers/memory.ts";
import { modelHandlers } from "./handlers/model.ts";
import { projectHandlers } from "./handlers/project.ts";
import { questionHandlers } from "./handlers/question.ts";
import { requestHandlers } from "./handlers/request.ts";
import { wireSession, type SessionWiring } from "./wire-session.ts";
import { skillHandlers } from "./handlers/skill.ts";
import { taskHandlers } from "./handlers/task.ts";
import { unlessWide } from "./wide-folder.ts";
import { pipelineView, requestView } from "../flow/index.ts";
import { sourcesView } from "../knowledge/told/index.ts";
import { createAgentApi, createHooks, createRoles, createTeamExtension, customCommands, messagesView, modelOfRole } from "../team/index.ts";
import { createAuth, findSecretValues, serverToken } from "../guard/index.ts";
import { configSchema } from "./config-schema.ts";
import { createJournalApi } from "../journal/index.ts";
import type { ProjectKnowledge } from "../knowledge/index.ts";
import type { PermissionPolicy } from "./permission-modes.ts";
import { openModelGate, projectModelViews } from "../model/index.ts";
import { createLiveHub, createTaskTrees, goalViews, lastReferences, taskListView, taskView, type StepExtension } from "../step/index.ts";
import {
  folderChecksum,
  openImport,
  openSkillExtension,
  openSkills,
  projectSkillFolders,
  skillView,
  type SkillApi,
} from "../forge/index.ts";
import { createModelApi, createUsageApi, MODEL_KEYS, type ModelGate } from "../model/index.ts";
import { createProjectTrust } from "../guard/index.ts";
import { VERSION } from "./version.ts";
import { sandboxPolicy } from "./sandbox-policy.ts";
import { adoptOldJournal, takeOverOldJournal } from "../journal/index.ts";
import { createMemoryApi, memoryPlace, memoryViews } from "../memory/index.ts";
import { createTaskApi } from "../step/index.ts";
import { standingOf } from "./setting-standing.ts";
import { createSecretApi } from "../guard/index.ts";
import { createSettingApi } from "./setting-api.ts";
import { createTrustApi } from "./trust-api.ts";

export interface AppOptions {
  cwd: string;
  env: Record<string, string | undefined>;
  clock: Clock;
  memory?: SessionWiring["memory"] | undefined;
  /** The storage driver; the embedded one when absent. */
  driver?: StoreDriver;
  /** Mode and rules of this run. */
  permissions?: PermissionPolicy | undefined;
  /** What commands must not see beside what the configuration says. */
  hidden?: readonly string[] | undefined;
  /** Somebody looks at all that is asked and answers it; otherwise a run without somebody of its own rests. */
  attended?: boolean | undefined;
  /** What an embedding program plugs into the step beside what ships. */
  extensions?: readonly StepExtension[] | undefined;
  /** Told how far it is when opening the journal takes long. */
  onBuilding?: StoreOptions["onBuilding"];
}

/** What surfaces may ask of the product. */
export interface Wired {
  readonly api: Api;
  skills(): Promise<SkillApi>;
  /** Beside what surfaces may ask of it, what agents do with it. */
  knowledge(): Promise<ProjectKnowledge>;
  /** What a program must show to use a server of this user; redacted from here on. */
  serverToken(server: "api" | "mcp"): AccessToken;
  close(): Promise<void>;
}

/** What `task resume` would take up again. */
const GOING_ON: readonly string[] = ["running", "interrupted", "escalated", "paused", "failed"];

export async function wireApp(options: AppOptions): Promise<Wired> {
  const { cwd, clock, driver = sqliteDriver, permissions: policy = {} } = options;
  const env = { ...options.env };
  const dirs = systemPaths.dirs({ env, platform: process.platform });
  const found = openProject(findProject(cwd, dirs, systemPaths.home(env)), dirs);
  const project = unlessWide(found, systemPaths.home(env));
  const trust = createProjectTrust(project, { standing: standingOf, skillFolders: projectSkillFolders, checksum: folderChecksum });
  const trusts = (file: string, text: string, folder?: string): boolean => trust.now().file(file, text, folder);
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
  systemPaths.machine.keepOutOf([project.project, ...config().security.sandbox.writable]);
  const notices = [...project.notices, ...(await takeOverOldJournal({ dirs, project, clock, driver }))];
  if (driver.isReadOnly(project.database)) notices.push(`${project.private} is read-only: what is there can be read, nothing can be kept`);
  const redactor = createRedactor();
  for (const value of environmentSecrets(env, redactor)) redactor.addKnownValue(value);
  const redact = (text: string): string => redactor.redact(text).text;
  // Before anything of the project is shown to a model, indexed or quoted.
  const secretFiles = once(async () => {
    for (const value of await findSecretValues(project.project)) redactor.addKnownValue(value);
  });
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
    config: () => ({ ...config().storage, signature_interval: config().security.audit.signature_interval }),
    clock,
    log,
    views: [
      taskView,
      taskListView,
      requestView,
      pipelineView,
      messagesView,
      sourcesView,
      ...goalViews,
      skillView,
      ...memoryViews,
      ...projectModelViews,
    ],
    onBuilding: options.onBuilding,
    driver,
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
  const tooling = once(async () => {
    const { createTooling, createTreeSetup } = await import("../tooling/index.ts");
    const made = createTooling({
      dirs,
      project,
      env,
      clock,
      version: VERSION,
      redactor,
      trust,
      sandboxPolicy: () => sandboxPolicy(config(), { dirs, project: project.project, env, alsoHidden: options.hidden ?? [] }),
      settings: () => config().tools,
      reachesRegistries: () => config().security.sandbox.registries,
      policy,
      rightsOf: (id) => roles.mustGet(id).spec,
    });
    const setUpTree = createTreeSetup({
      settings: () => config().worktree,
      isProjects: () => source.loaded.origin(["worktree", "setup"]).layer === "project",
      env,
      passedEnv: () => config().security.environment,
      sandbox: () => made.tools.sandboxFor(),
      isSandboxed: () => made.checks.sandboxed(),
      clock,
      redact,
      store: () => store.open(),
      logsProcesses: () => config().security.audit.log_process_exec,
    });
    return { ...made, setUpTree };
  });
  const gate = async (): Promise<ModelGate> => (await engine.get()).gate();
  const skills = once(() =>
    openSkills({
      store: () => store.open(),
      questions,
      gate,
      trust,
      project,
      env,
      clock,
      redactor,
      defaultModel: () => config().llm.defaultModel ?? undefined,
    }),
  );
  const memoryDir = (): string => memoryPlace(project, config().memory.place, () => trust.memory());
  const beforeWrite = (folder: string): void => {
    if (folder === path.join(project.root, "memory")) trust.addMemory();
  };
  const knowledge = once(async () => {
    const { createGateModels, createProjectKnowledge } = await import("../knowledge/index.ts");
    await secretFiles.get();
    return createProjectKnowledge({
      project,
      memoryDir,
      clock,
      redact,
      secrets: () => redactor.knownValues(),
      closed: privatePlaces.closed(systemPaths.home(env), env),
      store: () => store.open(),
      models: createGateModels({
        gate,
        embeddingModel: () => config().llm.embeddingModel,
        rerankModel: () => (config().llm.tiers["fast"] === undefined ? (config().llm.defaultModel ?? undefined) : "fast"),
        answerModel: () => config().llm.defaultModel ?? (config().llm.tiers["balanced"] === undefined ? undefined : "balanced"),
      }),
      answerWithModel: () => config().knowledge.answer_with_model,
      retrieval: () => {
        const { initial_k: initialK, max_depth: maxDepth, confidence_threshold, max_retrieval_tokens } = config().knowledge.retrieval;
        return { initialK, maxDepth, confidenceThreshold: confidence_threshold, maxTokens: max_retrieval_tokens };
      },
      healthLimits: () => config().knowledge.health,
    });
  });
  const hooks = createHooks({
    settings: () => config().hooks,
    userFile: path.join(dirs.config, "config.yaml"),
    projectDir: project.project,
    trusts,
    env,
    passedEnv: () => config().security.environment,
    clock,
    log,
    redact,
    sandbox: async () => (await tooling.get()).tools.sandboxFor(),
    store: () => store.open(),
    logsProcesses: () => config().security.audit.log_process_exec,
  });
  const live = createLiveHub();
  const engine = once(async () => {
    const {
      createKnowledgeActions,
      createKnownProject,
      createNeighbours,
      createOwnChecks,
      createRecall,
      createReproduction,
      createRules,
      createScreening,
      relatedFiles,
      switchedOff,
    } = await import("../step/extensions/index.ts");
    const { createProjectStyle } = await import("../tooling/index.ts");
    const { createEngine } = await import("./engine.ts");
    const { createFlowExtension, requestMessage } = await import("../flow/index.ts");
    const known = await knowledge.get();
    const { tools, checks, servers, formatter, packages, mcp } = await tooling.get();
    const forge = await skills.get();
    return createEngine({
      live,
      knowSecrets: secretFiles.get,
      extensions: [
        createScreening({ redactor, store: () => store.open(), off: () => switchedOff(config()) }),
        createNeighbours(() => store.open()),
        createRules({ projectDir: project.project, userDir: dirs.config, redactor, store: () => store.open(), trusts, clock }),
        await openSkillExtension(() => forge.catalogue(), redact),
        createRecall({
          store: () => store.open(),
          projectDir: project.project,
          agentsDir: path.join(project.root, "agents"),
          memoryDir,
          beforeWrite,
          clock,
          log,
          redact,
          roles: () => roles.all(),
          roleOf: (id) => roles.get(id),
        }),
        ...createKnownProject({
          servers,
          style: createProjectStyle(),
          packages,
          mcp,
          questions,
          projectDir: project.project,
          trusts,
          clock,
          knowledge: known.api,
          suggests: () => config().knowledge.suggest_existing,
          log,
          redact,
        }),
        createReproduction(),
        hooks.extension,
        createTeamExtension({
          store: () => store.open(),
          tasks: () => tasks,
          roleOf: (id) => roles.get(id),
          modelOf: (role) => modelOfRole(role, config().llm),
          clock,
          timeoutMs: () => config().team.consult_timeout,
          questions,
          requestOf: async (session) => requestMessage(await store.open(), session),
          redact,
        }),
        createFlowExtension(() => store.open()),
        createOwnChecks(project.project, checks),
        {
          name: "knowledge",
          actions: createKnowledgeActions({
            knowledge: known.api,
            root: project.project,
            redact,
          }),
        },
        ...(options.extensions ?? []),
      ],
      findKnowledge: (query, maxTokens, signal) => known.find(query, maxTokens, signal),
      relatedFiles: (file, signal) => relatedFiles(known.api, file, signal),
      narrowTests: (folder, scope) => tools.narrowTests(folder, scope),
      dirs,
      sandbox: () => tools.sandboxFor(),
      formatter,
      trees: () => trees,
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
      registryHosts: () => packages.hosts(),
      roleOf: (id) => roles.get(id).spec,
      questions,
    });
  });
  const trees = createTaskTrees({
    projectDir: project.project,
    tasksDir: project.tasks,
    stateDir: path.join(project.private, "work"),
    clock,
    redact,
    setUp: () => ({ command: config().worktree.setup, make: async (...tree) => (await tooling.get()).setUpTree(...tree) }),
    existing: () => store.existing(),
    store: () => store.open(),
  });
  const settings = createSettingApi({ source, dirs, project, trust });

  const tasks = createTaskApi({
    withNewTree: (make) => trees.withNewTree(make),
    existing: () => store.existing(),
    engine: async () => (await engine.get()).open(),
    project,
    clock,
    roleOf: (id) => roles.mustGet(id),
    modelOf: (role) => modelOfRole(role, config().llm),
    screen,
    questions,
  });

  const session = wireSession({
    existing: () => store.existing(),
    store: () => store.open(),
    screen,
    projectDir: project.project,
    tasks,
    engine: async () => (await engine.get()).open(),
    trees,
    questions,
    clock,
    memory: options.memory ?? systemMemory,
    log,
    config,
    health: async (...place) => (await knowledge.get()).api.health(...place),
  });

  const doctor = once(async () => {
    const { createDoctor } = await import("../tooling/index.ts");
    return createDoctor({
      clock,
      dirs,
      project,
      notices,
      env,
      version: VERSION,
      models: async (signal) => {
        const listed = await models.list(signal);
        const kept = (await auth.api.list()).filter(({ source, provider }) => source !== "environment" && provider in MODEL_KEYS);
        return {
          keys: Object.values(MODEL_KEYS).flat(),
          configured: Object.keys(config().llm.providers),
          kept: kept.map(({ provider }) => provider),
          silent: listed.providers.flatMap(({ name, status }) => (status.kind === "silent" ? [{ name, why: status.what }] : [])),
          model: config().llm.defaultModel,
        };
      },
      configWarnings: () => settings.warnings(),
      trust: async (checks) => trust.status(checks === "none" ? undefined : await (await tooling.get()).checks.things(checks)),
      store: () => store.open(),
      treesDir: path.join(project.private, "work"),
      servers: async () => (await tooling.get()).servers,
    });
  });
  const journal = createJournalApi({
    store: () => store.open(),
    existing: () => store.existing(),
    closeStore: () => store.close(),
    path: project.database,
    backupDir: store.backupDir,
    clock,
    driver,
    redact,
    adopt: (how) => adoptOldJournal({ dirs, project, clock, driver }, how),
    async cancelTasks(reason) {
      const open = (await tasks.list()).filter(({ status }) => GOING_ON.includes(status));
      for (const { id } of open) await tasks.cancel(id, reason);
      return open.length;
    },
    retention: () => ({ idleMs: config().storage.retention.archive_after, blobGraceMs: config().storage.retention.blob_grace }),
  });
  const models = createModelApi({
    // Listing needs no store, so that it works everywhere and leaves nothing behind.
    listing: async () => openModelGate({ config: config().llm, env: await auth.modelEnvironment(), clock, cwd: project.project, redact }),
    gate,
    defaultModel: () => config().llm.defaultModel ?? undefined,
  });
  const memory = createMemoryApi({
    store: () => store.open(),
    project,
    memoryDir,
    beforeWrite,
    clock,
    env,
    redact,
    screen,
    specs: () => roles.all().map(({ spec }) => spec),
    lastReferences,
  });
  const { sink } = live;
  const guardGroup = guardHandlers({
    auth: auth.api,
    existing: () => store.existing(),
    permissions: async () => (await tooling.get()).permissions,
    secrets: createSecretApi(redactor, cwd),
  });
  const journalGroup = journalHandlers({ journal, existing: () => store.existing(), live: sink });
  const knowledgeGroup = knowledgeHandlers({ knowledge: async () => (await knowledge.get()).api, live: sink });
  const memoryGroup = memoryHandlers({ memory, live: sink });
  const mcpGroup = mcpHandlers(async () => (await tooling.get()).mcpDesk);
  const modelGroup = modelHandlers({
    models,
    usage: createUsageApi({ existing: () => store.existing(), clock }),
    tools: async () => (await tooling.get()).tools.api,
  });
  const projectGroup = projectHandlers({
    settings,
    trust: createTrustApi(trust, async () => (await tooling.get()).checks),
    agents: createAgentApi(roles),
    hooks: hooks.api,
    doctor: doctor.get,
    shell: async () => {
      const { createUserShell } = await import("../tooling/index.ts");
      return createUserShell({ projectDir: project.project, env, clock, redact, store: () => store.open(), live: sink });
    },
    branch: async () => (await import("../tooling/index.ts")).projectBranch(project.project, clock),
    newest: async (signal) => (await tooling.get()).newest(signal),
    notices,
    init({ share }) {
      found.claim();
      const { project: folder, private: own } = found;
      return { project: folder, private: own, ...(share ? found.share(settings.schema()) : { created: [], kept: [] }) };
    },
    imports: openImport({
      projectDir: project.project,
      configDir: dirs.config,
      env,
      clock,
      redactor,
      hooks: () => config().hooks,
      setHooks: (hooks) => settings.set("hooks", hooks, "user"),
      servers: async () => (await tooling.get()).mcpDesk,
    }),
  });
  const questionGroup = questionHandlers(
    createQuestionApi({
      questions,
      existing: () => store.existing(),
      isOver: async ({ kind, id }) => kind === "task" && (await tasks.isOver(id)),
      keepKey: (provider, key, signal) => auth.keep(provider, key, signal),
    }),
  );
  const requestGroup = requestHandlers({
    session,
    questions,
    custom: () => customCommands({ userDir: path.join(dirs.config, "commands"), projectDir: project.project, trusts }),
  });
  const skillGroup = skillHandlers({ skills: skills.get, live: sink, questions });
  const taskGroup = taskHandlers({ tasks, trees, questions });
  const api = createApi({
    commands: {
      ...guardGroup.commands,
      ...journalGroup.commands,
      ...knowledgeGroup.commands,
      ...mcpGroup.commands,
      ...memoryGroup.commands,
      ...modelGroup.commands,
      ...projectGroup.commands,
      ...questionGroup.commands,
      ...requestGroup.commands,
      ...skillGroup.commands,
      ...taskGroup.commands,
    },
    queries: {
      ...guardGroup.queries,
      ...journalGroup.queries,
      ...knowledgeGroup.queries,
      ...mcpGroup.queries,
      ...memoryGroup.queries,
      ...modelGroup.queries,
      ...projectGroup.queries,
      ...questionGroup.queries,
      ...requestGroup.queries,
      ...skillGroup.queries,
      ...taskGroup.queries,
    },
    events: createEventFeed({
      store: () => store.open(),
      existing: () => store.existing(),
      clock,
      isRunning: (id) => tasks.isRunning(id),
    }),
    live: (filter, signal) => live.listen(filter, signal),
  });

  return {
    api,
    skills: skills.get,
    knowledge: async () => (await knowledge.get()).api,
    serverToken(server) {
      const access = serverToken(env, server);
      redactor.addKnownValue(access.token);
      return access;
    },
    async close() {
      source[Symbol.dispose]();
      await hooks.close();
      await (await engine.made())?.close();
      await (await tooling.made())?.close();
      await (await knowledge.made())?.close();
      await store.close();
    },
  };
}
