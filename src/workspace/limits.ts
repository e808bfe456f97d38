/** Every number of the workspace (TOO-005, TOO-010, TOO-012, TOO-024), as data; callers override any of them. */
export interface WorkspaceLimits {
  /** Reading: lines and characters per page, and the size above which a file is streamed instead of loaded. */
  pageLines: number;
  maxLineChars: number;
  maxPageChars: number;
  streamAboveBytes: number;
  /** Editing refuses larger files. */
  maxEditBytes: number;
  maxMatches: number;
  maxListed: number;
  searchTimeoutMs: number;
  defaultTimeoutMs: number;
  extendOnOutputMs: number;
  /** How long a check may say nothing: builds and tests are silent for long. */
  checkTimeoutMs: number;
  maxTimeoutMs: number;
  sigintGraceMs: number;
  sigtermGraceMs: number;
  /** After the main process ended, how long its output pipes may stay open. */
  pipeGraceMs: number;
  cleanupTimeoutMs: number;
  keepFirstLines: number;
  keepLastLines: number;
  maxImportantLines: number;
  maxSpillBytes: number;
  maxProcesses: number;
  /** Longest matching prefix of the command line wins (TOO-012). */
  toolTimeoutsMs: Readonly<Record<string, number>>;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

export const defaultLimits: WorkspaceLimits = {
  pageLines: 2_000,
  maxLineChars: 2_000,
  maxPageChars: 200_000,
  streamAboveBytes: 16 * 1024 * 1024,
  maxEditBytes: 64 * 1024 * 1024,
  maxMatches: 200,
  maxListed: 500,
  searchTimeoutMs: 30 * SECOND,
  defaultTimeoutMs: 60 * SECOND,
  extendOnOutputMs: 30 * SECOND,
  checkTimeoutMs: 10 * MINUTE,
  maxTimeoutMs: 30 * MINUTE,
  sigintGraceMs: 5 * SECOND,
  sigtermGraceMs: 3 * SECOND,
  pipeGraceMs: 250,
  cleanupTimeoutMs: 5 * SECOND,
  keepFirstLines: 50,
  keepLastLines: 100,
  maxImportantLines: 200,
  maxSpillBytes: 50 * 1024 * 1024,
  maxProcesses: 16,
  toolTimeoutsMs: {
    "go build": 10 * MINUTE,
    "go test": 5 * MINUTE,
    "npm install": 5 * MINUTE,
    "npm ci": 5 * MINUTE,
    "npm run build": 10 * MINUTE,
    "npm test": 5 * MINUTE,
    "pnpm install": 5 * MINUTE,
    "yarn install": 5 * MINUTE,
    pytest: 5 * MINUTE,
    jest: 5 * MINUTE,
    vitest: 5 * MINUTE,
    tsc: 5 * MINUTE,
    cargo: 10 * MINUTE,
    mvn: 10 * MINUTE,
    gradle: 10 * MINUTE,
    make: 10 * MINUTE,
    cmake: 10 * MINUTE,
    ninja: 10 * MINUTE,
    bazel: 10 * MINUTE,
    dotnet: 10 * MINUTE,
    swift: 10 * MINUTE,
    "docker build": 10 * MINUTE,
    "pnpm build": 10 * MINUTE,
    "pnpm test": 5 * MINUTE,
    "yarn build": 10 * MINUTE,
    "yarn test": 5 * MINUTE,
    eslint: MINUTE,
    prettier: 30 * SECOND,
    git: 30 * SECOND,
    "git clone": 10 * MINUTE,
    "git fetch": 5 * MINUTE,
  },
};

export interface LimitSettings {
  subprocess: { default_timeout: number; check_timeout: number; max_output_size: number };
  kill_sequence: { sigint_timeout: number; sigterm_timeout: number };
}

/** Of the settings, what is a limit here. */
export function limitsFrom(tools: LimitSettings): Partial<WorkspaceLimits> {
  return {
    defaultTimeoutMs: tools.subprocess.default_timeout,
    extendOnOutputMs: tools.subprocess.default_timeout,
    checkTimeoutMs: tools.subprocess.check_timeout,
    maxSpillBytes: tools.subprocess.max_output_size,
    sigintGraceMs: tools.kill_sequence.sigint_timeout,
    sigtermGraceMs: tools.kill_sequence.sigterm_timeout,
  };
}
