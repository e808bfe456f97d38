/**
 * The house rules as data: which floor may use which, who may open which door, how large a file may
 * grow. The checks read this table and nothing else, so a rule is changed here or not at all.
 */

/** Floors from the ground up. Floors of one row are neighbours: they may use each other, but not in a circle. */
export const FLOORS: readonly (readonly string[])[] = [
  ["kernel"],
  ["protocol"],
  ["journal"],
  ["guard"],
  ["code"],
  ["model", "workspace"],
  ["tooling"],
  ["memory", "knowledge"],
  ["step"],
  ["team"],
  ["flow", "forge"],
  ["session"],
  ["app"],
  ["surface"],
];

/** Floors that see less than everything below them. */
export const NARROW: Readonly<Record<string, readonly string[]>> = {
  code: ["kernel", "protocol", "journal"],
  model: ["kernel", "protocol", "journal", "guard"],
  workspace: ["kernel", "protocol", "journal", "guard", "code"],
  tooling: ["kernel", "protocol", "journal", "guard", "code", "workspace"],
  surface: ["kernel", "protocol", "app"],
};

/** Where a run of the product can begin. Workers and lazily imported modules are found from here. */
export const ENTRY_POINTS: readonly string[] = ["src/surface/cli/main.ts"];

export interface Door {
  what: string;
  /** Package or built-in names; a trailing `*` matches any ending. */
  modules?: readonly string[];
  /** Named imports of a module: `module#name`. */
  names?: readonly string[];
  /** Calls by dotted name: `Date.now`, `console.*`. */
  calls?: readonly string[];
  /** Path beginnings (or whole files) that may use it. */
  allowed: readonly string[];
  instead: string;
}

/** What changes files; `open` may. A namespace or lazy import may use all of them. */
const WRITES = [
  "appendFile",
  "chmod",
  "chown",
  "copyFile",
  "cp",
  "lchown",
  "link",
  "lutimes",
  "mkdir",
  "mkdtemp",
  "open",
  "rename",
  "rm",
  "rmdir",
  "symlink",
  "truncate",
  "unlink",
  "utimes",
  "writeFile",
];
const FILE_WRITES: readonly string[] = [
  ...WRITES.flatMap((name) => [`node:fs#${name}`, `node:fs#${name}Sync`, `node:fs/promises#${name}`]),
  ...["write", "writeSync", "writev", "writevSync", "createWriteStream", "futimesSync", "fchmodSync", "ftruncateSync"].map(
    (n) => `node:fs#${n}`,
  ),
  ...["default", "*", "promises"].map((name) => `node:fs#${name}`),
  ...["default", "*"].map((name) => `node:fs/promises#${name}`),
];

export const DOORS: readonly Door[] = [
  {
    what: "writing files",
    names: FILE_WRITES,
    allowed: [
      // Sylk's own small files, its log, and where a project is known; `project-file.ts` opens to read.
      "src/kernel/atomic-file.ts",
      "src/kernel/log.ts",
      "src/kernel/project/",
      "src/kernel/prepare-dirs.ts",
      "src/kernel/project-file.ts",
      "src/journal/internal/",
      "src/knowledge/store/",
      "src/memory/sidecar/sidecar-store.ts",
      // The user's files, after asking the guard.
      "src/workspace/",
      // Appends to a cassette, which a whole rewrite per call would make slow.
      "src/model/cassette/recorder.ts",
      // Made once and never replaced (`wx`): an atomic rename would replace it.
      "src/guard/credentials/access-token.ts",
      // Open to read, without following links.
      "src/guard/secrets/known-from-files.ts",
      "src/guard/trust/trust-record.ts",
      // The readable view of a task: appended to, and of snapshots.
      "src/step/task-folder.ts",
      // Moves a journal of earlier versions, marks an open store, tries whether folders can be made.
      "src/journal/old-journal.ts",
      "src/journal/project-store.ts",
      "src/tooling/doctor.ts",
      // A file the user names for an export.
      "src/surface/cli/commands/audit.ts",
      "src/surface/cli/render-event.ts",
    ],
    instead: "use writeFileAtomic of src/kernel/index.ts for Sylk's own files, src/workspace/index.ts for the user's",
  },
  {
    what: "the database driver",
    modules: ["node:sqlite", "sqlite-vec", "better-sqlite3"],
    allowed: ["src/journal/internal/", "src/knowledge/"],
    instead: "use the seams of src/journal/index.ts",
  },
  {
    what: "child processes",
    modules: ["node:child_process", "node:cluster", "@lydell/node-pty", "@anthropic-ai/sandbox-runtime", "execa"],
    // The user's pager, on the user's terminal; Sylk itself, when that is closed.
    allowed: ["src/workspace/", "src/surface/cli/pager.ts", "src/surface/cli/go-on-alone.ts"],
    instead: "use the processes of src/workspace/index.ts",
  },
  {
    what: "a model SDK",
    modules: ["ai", "@ai-sdk/*", "openai", "@anthropic-ai/sdk", "@google/genai", "gpt-tokenizer*"],
    allowed: ["src/model/"],
    instead: "use the gate of src/model/index.ts",
  },
  {
    what: "an MCP client",
    modules: ["@modelcontextprotocol/client*"],
    allowed: ["src/tooling/mcp/"],
    instead: "use createMcpServers of src/tooling/index.ts",
  },
  {
    what: "secret detection and the keychain",
    modules: ["@secretlint/*", "@napi-rs/keyring"],
    allowed: ["src/guard/"],
    instead: "use src/guard/index.ts",
  },
  {
    what: "reading from the network",
    calls: ["fetch", "globalThis.fetch"],
    allowed: [
      "src/workspace/web.ts",
      "src/model/",
      // Whether a provider takes a key.
      "src/guard/credentials/verify-key.ts",
      // Sylk's own server.
      "src/surface/",
    ],
    instead: "use the web of src/workspace/index.ts, which asks the guard first",
  },
  {
    what: "the home or temp folder",
    names: ["node:os#homedir", "node:os#tmpdir", "node:os#userInfo"],
    calls: ["os.homedir", "os.tmpdir", "os.userInfo"],
    allowed: ["src/kernel/system-paths.ts", "src/guard/credentials/machine-identity.ts"],
    instead: "use systemPaths or openProject of src/kernel/index.ts",
  },
  {
    what: "the machine's memory",
    names: ["node:os#freemem", "node:os#totalmem"],
    calls: ["os.freemem", "os.totalmem", "process.availableMemory", "process.constrainedMemory"],
    allowed: ["src/kernel/memory.ts"],
    instead: "take systemMemory (src/kernel/index.ts) as an argument",
  },
  {
    what: "the time of day",
    calls: ["Date.now", "performance.now", "new Date()", "Date()", "process.hrtime", "process.hrtime.bigint"],
    allowed: ["src/kernel/clock.ts"],
    instead: "take a Clock (src/kernel/index.ts) as an argument",
  },
  {
    what: "a lease",
    calls: ["work", "store.work", "ground.work", "engine.store.work", "parts.store.work"].flatMap((owner) =>
      ["claim", "claimNext", "renew"].map((name) => `${owner}.${name}`),
    ),
    allowed: ["src/journal/run/own.ts"],
    instead: "use owning, driveRun or driveDue of src/journal/index.ts",
  },
  {
    what: "a timer that keeps the process alive",
    modules: ["node:timers", "node:timers/promises"],
    calls: ["setTimeout", "setInterval", "setImmediate"],
    allowed: ["src/kernel/clock.ts"],
    instead: "use Clock.sleep or withDeadline, or unref() a polling timer",
  },
  {
    what: "printing",
    calls: ["console.*", "process.stdout.write", "process.stderr.write"],
    // `main.ts` prints the version and nothing else.
    allowed: ["src/surface/cli/output.ts", "src/surface/cli/main.ts"],
    instead: "use the Output of src/surface/cli, which makes control characters visible; below a surface return a value or append an event",
  },
  {
    what: "questions at the terminal",
    modules: ["@clack/prompts"],
    allowed: ["src/surface/cli/prompts.ts"],
    instead: "use src/surface/cli/prompts.ts, which makes control characters visible",
  },
  {
    what: "ending the process",
    calls: ["process.exit", "process.abort"],
    allowed: ["src/surface/"],
    instead: "throw a SylkError; the surface chooses the exit code",
  },
];

export const MAX_LINES = 600;
export const MAX_TEST_LINES = 900;
export const MAX_CASTS_PER_1000_LINES = 5;
/** A base name, or any hyphenated part of one, that says nothing about what is inside. */
export const EMPTY_NAMES: readonly string[] = ["utils", "util", "helpers", "helper", "common", "manager", "base", "misc", "v2"];

/** Development tools that another tool starts, so that no script names them. */
export const STARTED_BY: Readonly<Record<string, string>> = {
  "oxlint-tsgolint": "oxlint --type-aware",
  "@types/node": "tsc",
  // Tests speak to these servers.
  pyright: "vitest run",
  "@modelcontextprotocol/server-everything": "vitest run",
  "@modelcontextprotocol/server-filesystem": "vitest run",
  // Tests run its scenarios against our client.
  "@modelcontextprotocol/conformance": "vitest run",
};

/** Lines a floor may have outside its tests. `app` wires and hands on; what grows there is a rule that belongs below. */
export const MAX_FLOOR_LINES: Readonly<Record<string, number>> = { app: 2_000 };

/** Names a floor may show to the others. */
export const MAX_PUBLIC_NAMES = 40;

export const ROLES: readonly string[] = [
  "academic",
  "archivalist",
  "architect",
  "designer",
  "engineer",
  "guide",
  "inspector",
  "librarian",
  "orchestrator",
  "tester",
];
/** Members nobody in the product uses, as `file#Interface.member`, each with the reason it stays. */
export const UNUSED_MEMBERS: Readonly<Record<string, string>> = {
  "src/forge/skill-run.ts#SkillConduct.onPlaced": "the crash test kills the process between two placements",
  "src/guard/audit/open-audit.ts#AuditActor.workflowId": "a field of the audit record that flow will fill",
  "src/guard/credentials/create-broker.ts#CredentialBroker.grants": "for a surface that shows the grants of a running session",
  "src/guard/permissions/git-matrix.ts#GitRequest.targetIsTemporary":
    "a clone is refused until a caller can prove that its folder is temporary",
  "src/guard/permissions/open-permissions.ts#PermissionOptions.declared": "what a plan declares; flow will give it",
  "src/kernel/config/config-source.ts#ConfigSource.reload": "for processes that stay; commands end before settings change",
  "src/kernel/config/config-source.ts#ConfigSource.startWatching": "for processes that stay; commands end before settings change",
  "src/kernel/log.ts#Log.debug": "a level of the configuration; nothing is worth it yet",
  "src/knowledge/graph/cross-domain.ts#CrossDomain.enrich": "asked by consultations of the team",
  "src/model/open-model-gate.ts#ModelGate.usageWritten": "tests and benchmarks wait for the record; the product waits on closing",
  "src/model/open-model-gate.ts#ModelGate.queues": "for live status on a surface",
  "src/model/types.ts#ModelRequest.tokenEstimate": "for callers that know what an answer costs; a plan does",
  "src/tooling/discover/tool-command.ts#CommandParts.reportFile": "for the testers of flow, who read whole reports",
  "src/workspace/git/work-tree.ts#WorkTree.checkpoint": "the pipelines of flow go back to it",
  "src/workspace/git/work-tree.ts#WorkTree.checkpoints": "the pipelines of flow go back to it",
  "src/workspace/open-workspace.ts#Processes.runCached": "for the tools of inspectors, who look at the same thing often",
  "src/workspace/process/background.ts#BackgroundRequest.readyWhen": "servers are started by the testers of flow",
  "src/workspace/process/background.ts#BackgroundRequest.readyTimeoutMs": "servers are started by the testers of flow",
  "src/workspace/process/run-process.ts#RunRequest.onStopping": "for a surface that shows a command being stopped",
};
/** Options of these are filled by a library: flags of the command line. */
export const FILLED_ELSEWHERE = /Flags\./;
