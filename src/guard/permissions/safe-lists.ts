/** Commands and hosts that need no question, with the options that take that back (SEC-009, SEC-010). Data only. */

export interface SafeCommand {
  /** Program and sub-command as tokens. */
  command: string;
  /** `build` runs the project's own code: safe in a sandbox or a trusted project only. */
  class: "inspect" | "build";
  /** Arguments may name files to be read; they are checked like any other read. */
  reads?: boolean;
  /**
   * Options that write, run or delete. Long ones match abbreviations too. When present, no argument
   * may be decided at run time, since it could turn out to be one of them.
   */
  forbidden?: readonly string[];
  /** The only options allowed; others, or words that could become one, take the permission back. */
  options?: RegExp;
  /** A file of the project's that can name folders to write to: with it, safe only where builds are. */
  steeredBy?: string;
  /** Two folders would be compared file by file, through links too. */
  filesOnly?: boolean;
  /** Looks through whole folders, whatever stands in them. */
  searches?: boolean;
  /** More plain arguments than this would name an output file. */
  maxArguments?: number;
  /** Further limits on the plain arguments. */
  argumentForm?: RegExp;
  /** Longer arguments are programs that belong into a file. */
  maxChars?: number;
}

/** An expression that is tried out, not a program. */
const SHORT = 2_000;

const GIT_FORBIDDEN = [
  "--output",
  "--ext-diff",
  "--textconv",
  "--no-index",
  "--exec",
  "--upload-pack",
  "--paginate",
  "--open-files-in-pager",
  "--show-signature",
  "-O",
  // Shows any file as if it were the one asked for.
  "--contents",
  // Shown by whatever viewer the repository's configuration names.
  "--help",
];

/** What npm's inspections may be told: everything else may name a folder to write to or a program. */
const NPM_LOOKING =
  /^(?:--all|-a|--json|--long|-l|--parseable|-p|--depth(?:=\d+)?|--omit=(?:dev|optional|peer)|--include=(?:dev|optional|peer|prod)|--link|--no-color|--production)$/;

export const SAFE_COMMANDS: readonly SafeCommand[] = [
  { command: "ls", class: "inspect", reads: true, forbidden: ["-L", "--dereference"] },
  ...["cat", "head", "tail", "stat", "nl", "tac", "cut", "md5sum", "sha256sum", "cmp", "cd"].map((command): SafeCommand => ({
    command,
    class: "inspect",
    reads: true,
  })),
  ...["pwd", "echo", "true", "false", "basename", "dirname", "uname", "whoami", "seq", "tr", "sleep", "command -v", "command -V"].map(
    (command): SafeCommand => ({ command, class: "inspect" }),
  ),
  { command: "which", class: "inspect" },
  { command: "wc", class: "inspect", reads: true, forbidden: ["--files0-from"] },
  { command: "du", class: "inspect", reads: true, forbidden: ["--files0-from", "-L", "--dereference"] },
  { command: "printf", class: "inspect", forbidden: ["-v"] },
  { command: "test", class: "inspect", forbidden: ["-v", "-R"] },
  { command: "[", class: "inspect", forbidden: ["-v", "-R"] },
  {
    command: "file",
    class: "inspect",
    reads: true,
    forbidden: ["-C", "--compile", "-f", "--files-from", "-z", "-Z", "--uncompress", "-p", "--preserve-date"],
  },
  {
    command: "sort",
    class: "inspect",
    reads: true,
    forbidden: ["-o", "--output", "-T", "--temporary-directory", "--compress-program", "--files0-from"],
  },
  { command: "uniq", class: "inspect", reads: true, forbidden: [], maxArguments: 1 },
  // Print, delete, count and quit by line number; the other sed commands can write and run.
  {
    command: "sed",
    class: "inspect",
    reads: true,
    forbidden: ["-i", "--in-place", "-e", "--expression", "-f", "--file", "-s", "--separate", "-l", "--line-length"],
    argumentForm: /^(?:(?:\d+|\$)(?:,(?:\+?\d+|\$))?[pdq=];?)+$/,
  },
  {
    command: "find",
    class: "inspect",
    reads: true,
    forbidden: [
      "-exec",
      "-execdir",
      "-ok",
      "-okdir",
      "-delete",
      "-fprint",
      "-fprint0",
      "-fprintf",
      "-fls",
      "-files0-from",
      "-L",
      "-follow",
    ],
  },
  // Whole folders hold files that must not be shown; searching them is what the search action is for.
  {
    command: "diff",
    class: "inspect",
    reads: true,
    forbidden: ["-r", "--recursive", "--from-file", "--to-file", "-l", "--paginate"],
    filesOnly: true,
  },
  {
    command: "grep",
    class: "inspect",
    reads: true,
    forbidden: ["-r", "-R", "--recursive", "--dereference-recursive", "-d", "--directories", "-f", "--file"],
  },
  // A program may import from anywhere.
  {
    command: "jq",
    class: "inspect",
    reads: true,
    forbidden: ["-L", "--library-path", "-f", "--from-file", "--slurpfile", "--rawfile", "--argfile"],
    argumentForm: /^(?!.*\b(?:import|include|input_filename|modulemeta|get_search_list|env|ENV)\b)/s,
  },
  {
    command: "rg",
    class: "inspect",
    reads: true,
    searches: true,
    forbidden: [
      "--pre",
      "--hostname-bin",
      "--search-zip",
      "-z",
      "-u",
      "--unrestricted",
      "-.",
      "--hidden",
      "--no-ignore",
      "--no-ignore-vcs",
      "--no-ignore-dot",
      "-f",
      "--file",
      "-L",
      "--follow",
    ],
  },
  {
    command: "fd",
    class: "inspect",
    reads: true,
    forbidden: ["-x", "--exec", "-X", "--exec-batch", "-l", "--list-details", "-L", "--follow"],
  },
  ...["status", "diff", "log", "show", "blame", "ls-files", "ls-tree", "rev-parse", "shortlog", "describe"].map((sub): SafeCommand => ({
    command: `git ${sub}`,
    class: "inspect",
    reads: true,
    forbidden: GIT_FORBIDDEN,
  })),
  {
    command: "git branch",
    class: "inspect",
    forbidden: [
      "-d",
      "-D",
      "-m",
      "-M",
      "-c",
      "-C",
      "-f",
      "-u",
      "-t",
      "--delete",
      "--move",
      "--copy",
      "--force",
      "--set-upstream-to",
      "--unset-upstream",
      "--track",
      "--edit-description",
      "--create-reflog",
    ],
    maxArguments: 0,
  },
  { command: "npm list", class: "inspect", options: NPM_LOOKING, steeredBy: ".npmrc", argumentForm: /^[@\w./-]+$/ },
  { command: "npm ls", class: "inspect", options: NPM_LOOKING, steeredBy: ".npmrc", argumentForm: /^[@\w./-]+$/ },
  { command: "npm outdated", class: "inspect", options: NPM_LOOKING, steeredBy: ".npmrc", argumentForm: /^[@\w./-]+$/ },
  { command: "go vet", class: "build", forbidden: ["-vettool", "--vettool", "-toolexec", "--toolexec", "-exec"] },
  { command: "go fmt", class: "build" },
  { command: "gofmt", class: "inspect", reads: true, forbidden: ["-w", "-cpuprofile", "--cpuprofile"] },
  { command: "python -m py_compile", class: "build" },
  { command: "python3 -m py_compile", class: "build" },
  {
    command: "make",
    class: "build",
    forbidden: ["-f", "--file", "--makefile", "-C", "--directory", "--eval", "-I", "--include-dir"],
    argumentForm: /^[\w.-]+$/,
  },
  { command: "go build", class: "build", forbidden: ["-toolexec", "--toolexec", "-exec", "-o", "--o", "-overlay", "--overlay"] },
  { command: "go test", class: "build", forbidden: ["-toolexec", "--toolexec", "-exec", "--exec", "-o", "--o", "-overlay", "--overlay"] },
  {
    command: "npm test",
    class: "build",
    forbidden: ["--prefix", "-C", "--script-shell", "--node-options", "--userconfig", "--globalconfig"],
  },
  {
    command: "npm run build",
    class: "build",
    forbidden: ["--prefix", "-C", "--script-shell", "--node-options", "--userconfig", "--globalconfig"],
  },
  // Interpreters on files of the project and short expressions: what they do is bounded by the sandbox, or they are asked about.
  ...["node", "ruby", "perl", "php"].map((command): SafeCommand => ({
    command,
    class: "build",
    reads: true,
    forbidden: [],
    maxChars: SHORT,
  })),
  ...["python", "python3"].flatMap((command): SafeCommand[] => [
    ...["pytest", "unittest", "doctest", "mypy", "timeit", "json.tool"].map((module): SafeCommand => ({
      command: `${command} -m ${module}`,
      class: "build",
      reads: true,
      forbidden: [],
    })),
    // Other modules fetch and install.
    { command, class: "build", reads: true, forbidden: ["-m"], maxChars: SHORT },
  ]),
  { command: "go run", class: "build", reads: true, forbidden: ["-toolexec", "--toolexec", "-exec", "--exec", "-overlay", "--overlay"] },
  { command: "cargo build", class: "build", forbidden: ["--config", "--manifest-path", "--target-dir", "-Z"] },
  { command: "cargo test", class: "build", forbidden: ["--config", "--manifest-path", "--target-dir", "-Z"] },
];

/** Commands that change files named by their arguments: as safe as those files are in reach. */
export const FILE_COMMANDS: Readonly<Record<string, { access: "write" | "delete"; flags: RegExp; copies?: true }>> = {
  mkdir: { access: "write", flags: /^-[pv]+$/ },
  touch: { access: "write", flags: /^-[acm]+$/ },
  cp: { access: "write", flags: /^-[rRfpvna]+$/, copies: true },
  mv: { access: "delete", flags: /^-[fvn]+$/, copies: true },
  rm: { access: "delete", flags: /^-[rRfvd]+$/ },
  rmdir: { access: "delete", flags: /^-[pv]+$/ },
  tee: { access: "write", flags: /^-[ai]+$/ },
};

/**
 * Options with which a program runs code it is handed. An allow rule that names only the program does
 * not cover them.
 */
export const CODE_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  python: ["-c", "-m"],
  python3: ["-c", "-m"],
  node: ["-e", "--eval", "-p", "--print", "-r", "--require", "--import", "--loader", "--experimental-loader"],
  bun: ["-e", "--eval"],
  deno: ["eval"],
  perl: ["-e", "-E", "-M", "-m"],
  ruby: ["-e", "-r"],
  php: ["-r", "-B", "-E", "-R"],
  git: ["-c", "--config-env", "--exec-path", "--git-dir", "--work-tree", "-C", "--namespace"],
  find: ["-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf", "-fls"],
  tar: ["--to-command", "--checkpoint-action", "-I", "--use-compress-program", "--rsh-command"],
  rsync: ["-e", "--rsh"],
  ssh: ["-o", "-F"],
  rg: ["--pre", "--hostname-bin"],
  fd: ["-x", "--exec", "-X", "--exec-batch"],
  sed: ["-i", "--in-place", "-e", "--expression", "-f", "--file"],
  go: ["-toolexec", "--toolexec", "-exec", "--exec", "-vettool", "--vettool"],
  make: ["-f", "--file", "--makefile", "--eval", "-C", "--directory"],
  npm: ["--prefix", "-C", "--script-shell", "--node-options", "--userconfig", "--globalconfig", "--cache", "--logs-dir"],
  pnpm: ["-C", "--dir", "--prefix", "--script-shell", "--node-options"],
  yarn: ["--cwd", "--script-shell", "--use-yarnrc"],
  cargo: ["--config", "--manifest-path", "--target-dir", "--artifact-dir", "-Z"],
};

/**
 * What may be allowed for good with any arguments: it runs the project's own scripts or checks. `*` is one
 * name. Everything else (interpreters, editors, pagers, archivers, downloaders, containers, `find`,
 * `xargs`, `make` with its variables) could run or write anything, and is kept as the exact line only.
 */
export const WIDENED: readonly string[] = [
  "npm test",
  "npm run *",
  "pnpm test",
  "pnpm run *",
  "yarn test",
  "yarn run *",
  "cargo build",
  "cargo check",
  "cargo clippy",
  "cargo fmt",
  "cargo test",
];

/** Never covered by a rule; asked each time. */
export const PRIVILEGED: ReadonlySet<string> = new Set(["sudo", "doas", "su", "pkexec", "run0", "chroot", "nsenter", "unshare"]);

/** Variables that only change how a program talks or which environment it believes in. */
export const HARMLESS_VARIABLES: readonly RegExp[] = [
  /^(?:CI|DEBUG|TZ|LANG|LANGUAGE|TERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CLICOLOR|NODE_ENV|RUST_BACKTRACE|RUST_LOG|CGO_ENABLED|GOOS|GOARCH|PORT|HOST)$/,
  /^LC_[A-Z]+$/,
  // A loop variable or a local name. Programs and shells react to upper case, with these exceptions.
  /^(?!(?:[a-z]*path|.*_proxy|npm_config.*|[a-z]*_config.*)$)[a-z][a-z0-9_]{0,30}$/,
];

export const SAFE_DOMAINS: readonly string[] = [
  "proxy.golang.org",
  "sum.golang.org",
  "registry.npmjs.org",
  "pypi.org",
  "files.pythonhosted.org",
  "crates.io",
  "index.crates.io",
  "pkg.go.dev",
  "docs.python.org",
  "nodejs.org",
  "developer.mozilla.org",
  "github.com",
  "gitlab.com",
  "bitbucket.org",
];
