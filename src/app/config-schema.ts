/**
 * The whole configuration: every setting in one place, so that its shape, defaults and descriptions are one text. What
 * models need is that floor's own; the other floors are given values and know no setting. Keys and defaults follow
 * CFG-009; every threshold is data.
 */
import { z } from "zod";
import { terminalSettings, units } from "../kernel/config/index.ts";
import { knowledgeSettingsSchema } from "../knowledge/index.ts";
import type { Ecosystem } from "../tooling/index.ts";
import { hookSettingsSchema } from "../team/index.ts";
import { modelConfigSchema, subscriptionSchema } from "../model/index.ts";

const log = z
  .strictObject({
    level: z.enum(["debug", "info", "warn", "error"]).default("info").describe("least important message that is written"),
    retention_days: z.int().min(1).default(30).describe("days a log file is kept"),
  })
  .prefault({});

const storage = z
  .strictObject({
    database: z
      .strictObject({
        durability: z.enum(["full", "process"]).default("full").describe("full survives power loss, process survives kill -9"),
        busy_timeout: units.duration("30s").describe("how long a write waits for other processes"),
      })
      .prefault({}),
    backup: z
      .strictObject({
        periodic: z.strictObject({ enabled: z.boolean().default(true), interval: units.duration("24h") }).prefault({}),
        retention_count: z.int().min(1).default(10).describe("backups of each kind that are kept"),
      })
      .prefault({}),
    integrity: z
      .strictObject({ startup_check: z.boolean().default(true).describe("check the database after an unclean end") })
      .prefault({}),
    retention: z
      .strictObject({
        archive_after: units.duration("720h").describe("streams untouched for this long are compressed"),
        blob_grace: units.duration("24h").describe("age at which a blob nobody refers to is removed"),
      })
      .prefault({}),
  })
  .prefault({});

const memory = z
  .strictObject({
    place: z
      .enum(["private", "project"])
      .default("private")
      .describe("where agents' memory stands: in your own space, or in .sylk/memory, shared with the code"),
  })
  .prefault({});

const goalMonitor = z
  .strictObject({
    confidence: z
      .strictObject({
        halt: units.ratio(0.6).describe("below this a halt becomes a question"),
        act: units.ratio(0.4).describe("below this the work goes on and the doubt is recorded"),
      })
      .prefault({}),
  })
  .prefault({});

const tools = z
  .strictObject({
    subprocess: z
      .strictObject({
        default_timeout: units.duration("120s").describe("how long an agent's command may say nothing"),
        check_timeout: units.duration("10m").describe("how long a check may say nothing, such as a build or all tests"),
        max_output_size: units.byteSize("10MB"),
      })
      .prefault({}),
    kill_sequence: z.strictObject({ sigint_timeout: units.duration("5s"), sigterm_timeout: units.duration("3s") }).prefault({}),
    language_servers: z
      .enum(["off", "sandboxed", "always"])
      .default("sandboxed")
      .meta({ strictest: "off" })
      .describe("sandboxed: started only inside the sandbox; always: also where there is none; off: never"),
    formatter: z
      .enum(["off", "sandboxed", "always"])
      .default("sandboxed")
      .meta({ strictest: "off" })
      .describe(
        "what agents write takes the form of the formatter the project configures, run inside the sandbox; always: also where there is none",
      ),
    formatter_timeout: units.duration("5s").describe("how long a formatter may take for one file"),
    package_check: z
      .enum(["off", "on"])
      .default("on")
      .meta({ strictest: "off" })
      .describe("before an agent adds a package, its registry is asked whether it exists"),
    package_check_timeout: units.duration("3s").describe("how long a registry may take to answer"),
    package_registries: z
      .partialRecord(z.enum(["npm", "python", "rust", "go"] satisfies Ecosystem[]), z.url())
      .default({})
      .meta({ strictest: {} })
      .describe("registries that are asked instead of the public ones, or of those your environment and ~/.npmrc name"),
    mcp_start_timeout: units.duration("60s").describe("how long an MCP server may take to start and greet"),
    mcp_call_timeout: units.duration("60s").describe("how long it may take for one answer without telling how far it is"),
    mcp_longest_call: units.duration("10m").describe("how long whatever it tells"),
    diagnostics_timeout: units.duration("3s").describe("how long an edit waits for what the language server says of it"),
  })
  .prefault({});

const team = z
  .strictObject({
    writers: z.int().min(1).max(4).default(3).describe("pieces of work that are built at the same time"),
    seats: z
      .int()
      .min(1)
      .max(32)
      .default(6)
      .describe("pieces of all requests that one process builds at the same time; each request has its share"),
    memory_mark: z.number().gt(0).max(1).default(0.95).describe("share of the machine's memory above which no piece begins, 0 to 1"),
    attempts: z.int().min(1).max(6).default(3).describe("times a piece is built before you are asked"),
    second_try: z
      .enum(["tactic", "best_of"])
      .default("tactic")
      .describe("how a piece is built again: once, in another way; or in three ways, of which the one that its tests like best is kept"),
    repairs: z.int().min(0).max(3).default(3).describe("rounds in which the whole is mended before you are asked"),
    classify: z.boolean().default(true).describe("whether the Guide first reads what a request asks for: an answer or a change"),
    ask_below: z.number().min(0).max(1).default(0.7).describe("how sure the Guide must be, 0 to 1; below it you are asked what is meant"),
    consult_timeout: units.duration("5m").describe("longest time one role waits for another's answer"),
    phase_timeout: units.duration("30m").describe("longest time one phase of a piece may take"),
    pipeline_timeout: units
      .duration("2h")
      .describe("longest time a piece may be at work, from its beginning to its merge; then it is stopped and you are asked"),
    model_timeout: units.duration("5m").describe("how long a model that cannot be had is asked for again; then you are asked"),
    merge_timeout: units.duration("10m").describe("longest time a piece waits for its turn to be merged"),
    spawn_timeout: units.duration("2m").describe("longest time until a piece has its work tree; worktree.setup has its own beside it"),
  })
  .prefault({});

const worktree = z
  .strictObject({
    setup: z.string().min(1).nullable().default(null).describe("command that makes each new work tree ready, e.g. npm ci"),
    setup_timeout: units.duration("10m").describe("longest time it may take"),
  })
  .prefault({});

const sandbox = z
  .strictObject({
    mode: z
      .enum(["auto", "require", "off"])
      .default("auto")
      .meta({ strictest: "require" })
      .describe("auto: sandboxed where the system can; require: sandboxed or not started; off: direct"),
    allowed_hosts: z.array(z.string().min(1)).default([]).meta({ strictest: [] }).describe("hosts every command may reach"),
    registries: z.boolean().default(true).meta({ strictest: false }).describe("package managers may reach their registries"),
    writable: z.array(z.string().min(1)).default([]).meta({ strictest: [] }).describe("further folders commands may write to"),
    hidden: z.array(z.string().min(1)).default([]).describe("further files and folders commands must not read"),
    visible: z
      .array(z.string().min(1))
      .default([])
      .meta({ strictest: [] })
      .describe("files of the project that look like secrets and that commands may read all the same, e.g. .env.test"),
    limits: z
      .strictObject({
        memory: units.byteSize("4GB"),
        open_files: z.int().min(64).default(8_192),
        file_size: units.byteSize("2GB"),
        processes: z.int().min(16).default(512),
        temp_size: units.byteSize("1GB"),
      })
      .prefault({}),
  })
  .prefault({});

/** Denials, secrets and credentials are recorded whatever these say. */
const auditSwitch = z.boolean().default(true).meta({ strictest: true }).describe("record this kind of act");

const security = z
  .strictObject({
    sandbox,
    environment: z
      .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/u))
      .default([])
      .meta({ strictest: [] })
      .describe("names of further environment variables commands may have, e.g. DATABASE_URL"),
    audit: z
      .strictObject({
        signature_interval: z.int().min(1).default(100).meta({ strictest: 100 }).describe("events per signature"),
        log_permissions: auditSwitch,
        log_file_ops: auditSwitch,
        log_process_exec: auditSwitch,
        log_network: auditSwitch,
        log_config: auditSwitch,
      })
      .prefault({}),
    permissions: z
      .strictObject({
        use_safe_defaults: z.boolean().default(true).meta({ strictest: false }).describe("built-in lists of safe commands and hosts"),
        custom_safe_list: z
          .string()
          .nullable()
          .default(null)
          .meta({ strictest: null })
          .describe("file with further safe commands and domains"),
        persist_permissions: z.boolean().default(true).meta({ strictest: false }).describe("remember answers in permission files"),
      })
      .prefault({}),
  })
  .prefault({});

const credentialScope = z.strictObject({
  allowed: z.array(z.string()).default([]),
  denied: z.array(z.string()).default([]),
  require_auth: z.array(z.string()).default([]).describe("providers whose first use needs your consent"),
});

export const configSchema = z.strictObject({
  profile: z.string().default("default").describe("named credential profile"),
  llm: modelConfigSchema.prefault({}).describe("model providers, tiers, limits and budgets"),
  subscription: z.record(z.string(), subscriptionSchema).default({}).describe("ceilings of subscription plans, by provider"),
  log,
  storage,
  memory,
  goal_monitor: goalMonitor,
  team,
  worktree,
  tools,
  security,
  credential_scopes: z.record(z.string(), credentialScope).default({}).describe("which credentials each agent's tools may use"),
  hooks: hookSettingsSchema.default({}).describe("programs of yours that are asked about what agents do, by event; docs/hooks.md"),
  knowledge: knowledgeSettingsSchema,
  terminal: terminalSettings,
});
export type Config = z.output<typeof configSchema>;
