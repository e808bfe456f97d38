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

export const DOORS: readonly Door[] = [
  {
    what: "the database driver",
    modules: ["node:sqlite", "sqlite-vec", "better-sqlite3"],
    allowed: ["src/journal/", "src/knowledge/"],
    instead: "use the seams of src/journal/index.ts",
  },
  {
    what: "child processes",
    modules: ["node:child_process", "node:cluster", "@lydell/node-pty", "@anthropic-ai/sandbox-runtime", "execa"],
    allowed: ["src/workspace/"],
    instead: "use the processes of src/workspace/index.ts",
  },
  {
    what: "a model SDK",
    modules: ["ai", "@ai-sdk/*", "openai", "@anthropic-ai/sdk", "@google/genai", "gpt-tokenizer*"],
    allowed: ["src/model/"],
    instead: "use the gate of src/model/index.ts",
  },
  {
    what: "secret detection and the keychain",
    modules: ["@secretlint/*", "@napi-rs/keyring"],
    allowed: ["src/guard/"],
    instead: "use src/guard/index.ts",
  },
  {
    what: "the home or temp folder",
    names: ["node:os#homedir", "node:os#tmpdir", "node:os#userInfo"],
    calls: ["os.homedir", "os.tmpdir", "os.userInfo"],
    allowed: ["src/kernel/paths.ts", "src/kernel/machine.ts"],
    instead: "use resolveDirs, projectDirs or systemTemp of src/kernel/index.ts",
  },
  {
    what: "the time of day",
    calls: ["Date.now", "performance.now", "new Date()", "Date()", "process.hrtime", "process.hrtime.bigint"],
    allowed: ["src/kernel/clock.ts"],
    instead: "take a Clock (src/kernel/index.ts) as an argument",
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
/** A base name, or any hyphenated part of one, that says nothing about what is inside. */
export const EMPTY_NAMES: readonly string[] = ["utils", "util", "helpers", "helper", "common", "manager", "base", "misc", "v2"];

/** Development tools that another tool starts, so that no script names them. */
export const STARTED_BY: Readonly<Record<string, string>> = {
  "oxlint-tsgolint": "oxlint --type-aware",
  "@types/node": "tsc",
};
