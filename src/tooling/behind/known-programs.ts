/** Data: programs whose arguments do not name a program, and what of their options and files does. */

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/u).filter((word) => word !== ""));

/** Commands of the shell and the system that run nothing of the project. */
export const PLAIN = words(`
  : true false echo printf test [ exit return cd pwd mkdir rmdir rm touch ls cat head tail wc sort uniq grep egrep fgrep diff cmp date
  sleep uname which type whoami id hostname dirname basename realpath readlink wait command exec chmod sync du df stat file tr cut seq tee cp mv ln
  install find sha256sum md5sum kill nproc umask continue break shift rimraf del-cli mkdirp cpy shellcheck
  nohup env time timeout nice setsid stdbuf
`);

/** They put something where they are told to. */
export const MAKES = words("cp mv ln install tee cpy touch uniq");

/**
 * Runs of tests, checks of types and style, compilers: what they are given is looked at, compiled or a test. What
 * they load by their own settings is not followed; what an option of the line makes them load is.
 */
export const TOOLS = words(`
  vitest jest mocha _mocha ava tap tape uvu jasmine cypress playwright web-test-runner wtr qunit node-tap borp poku bun-test japa
  tsc vue-tsc svelte-check tsd attw publint eslint oxlint oxfmt prettier biome stylelint xo standard semistandard ts-standard jshint htmlhint
  markdownlint markdownlint-cli2 cspell knip depcheck madge dprint commitlint secretlint size-limit tslint flow ls-lint sort-package-json
  esbuild rollup rolldown webpack vite tsup tsdown unbuild microbundle ncc babel swc sass tailwindcss typedoc api-extractor
  pytest py.test unittest mypy pyright ruff flake8 black isort pylint bandit pyflakes pycodestyle pydocstyle codespell vulture ty
  rspec rubocop standardrb srb phpunit pest phpstan psalm php-cs-fixer phpcs parallel-lint
  staticcheck gofmt goimports revive gotestsum rustfmt rustc gcc cc g++ c++ clang clang++ clang-tidy clang-format cppcheck
  ctest bats swiftlint tflint hadolint yamllint actionlint shfmt luacheck prove
`);

/** Options of tools that take no value: what follows is something else. After any other, the next word is its value. */
export const SWITCHES =
  /^(?:-[bhiqsvVwx]|-vv+|--no-[\w-]+|--(?:coverage|ci|bail|fix|fix-dry-run|quiet|verbose|silent|watch|watchAll|watch-all|run|once|check|list-different|write|cache|color|colors|recursive|exit|parallel|forbid-only|full-trace|allow-empty|passWithNoTests|pass-with-no-tests|runInBand|run-in-band|detectOpenHandles|forceExit|runTestsByPath|findRelatedTests|onlyChanged|updateSnapshot|update|strict|noEmit|pretty|force|dry|dry-run|clean|incremental|skipLibCheck|emitDeclarationOnly|declaration|report-unused-disable-directives|report-unused-inline-configs|exit-on-fatal-error|inline|typecheck|type-aware|deny-warnings|error-on-warnings|globals|isolate|headless|headed|debug|all|minify|sourcemap|splitting|dts|serial|tap|delay|check-leaks|inspect|inspect-brk|lf|ff|last-failed|failed-first|cov|branch|doctest-modules|showlocals|stepwise|collect-only|co|statistics|show-source|check-only|strict-markers|strict-config|no-cov|sw|fail-fast|testdox|stop-on-failure|order-random|stats|staged|allow-incomplete|experimental-vm-modules|unstable|ignore-missing-imports|install-types|non-interactive|pedantic))$/u;
/** Their value is text to look for. */
export const TEXT_OPTIONS =
  /^(?:-[tgkm]|--(?:testNamePattern|test-name-pattern|testPathPatterns?|testPathIgnorePatterns|grep|fgrep|match|title|keyword|marker|ignore|ignore-pattern|exclude|include))$/u;
/** Folders may be their value. */
export const FOLDER_OPTIONS =
  /^(?:-[dos]|--(?:outDir|out-dir|outdir|outfile|out-file|output-file|outputFile|output|dist|declarationDir|coverageDirectory|coverage-directory|collectCoverageFrom|cacheDirectory|cache-location|cache-dir|cov|cov-report|junitxml|junit-xml|dir|source|start-directory|top-level-directory|tests?|roots|paths?|spec|src))$/u;
/** Of these the folder is looked at, or holds settings that name no program. */
export const COMPILER_FOLDERS = /^(?:-[bp]|--(?:build|project))$/u;
/** What they name is loaded, whatever it is called. */
export const LOADING = /^(?:-[rcipI]\b|--?[\w-]*(?:require|import|plugin|setup|config|load|exec|hook))/iu;
/** They take every word up to the next option. */
export const LISTS = /^--(?:setup[\w-]*|[\w-]*(?:plugins|reporters|serializers|modules|presets|files))$/iu;
/** Values by which tools call what comes with them. */
export const OWN_VALUES =
  /^(?:\d+%?|spec|dot|tap|json|list|min|nyan|progress|landing|doc|markdown|xunit|junit|html|lcov|text|text-summary|cobertura|clover|default|basic|verbose|minimal|github|github-actions|gha|line|stylish|unix|compact|checkstyle|codeframe|pretty|tsc|machine|human|human-verbose|node|jsdom|happy-dom|edge-runtime|threads|forks|vmThreads|v8|istanbul|esm|cjs|iife|umd|commonjs|browser|neutral|chromium|chrome|firefox|webkit|auto|always|never|on|off|true|false|term|term-missing|xml|short|long|no|all|ts-node\/register|progress-bar|documentation|failures|bdd|tdd|qunit|exports)$/u;

/** Sub-commands of tools of a language that build, test and look. What else they have may run a program of the project. */
export const SUBCOMMANDS: Readonly<Record<string, ReadonlySet<string>>> = {
  cargo: words("test t check c clippy build b fmt doc bench nextest --version"),
  go: words("test vet build fmt version env list"),
  mix: words("test compile format credo dialyzer"),
  gradle: words("test check build assemble lint"),
  gradlew: words("test check build assemble lint"),
  mvn: words("test verify compile package"),
  mvnw: words("test verify compile package"),
  dotnet: words("test build format --version"),
  swift: words("test build"),
  dart: words("test analyze format"),
  flutter: words("test analyze"),
  zig: words("test fmt"),
  terraform: words("validate fmt"),
  "golangci-lint": words("run version linters"),
  karma: words("start run"),
  git: words("diff status ls-files rev-parse log show describe"),
};
/** Words that may stand after a sub-command without naming what runs. */
export const PLAIN_OPTIONS: Readonly<Record<string, RegExp>> = {
  cargo:
    /^(?:-[vqrj]+|--(?:all|workspace|all-targets|all-features|no-default-features|release|locked|offline|frozen|lib|bins|tests|benches|examples|doc|no-fail-fast|no-run|verbose|quiet|check|features|package|test|bin|example|jobs|exclude|profile|target-dir|message-format|color|nocapture)(?:=.*)?|-p|-F)$/u,
  go: /^-(?:v|race|short|cover|coverprofile|covermode|coverpkg|count|run|bench|benchmem|timeout|tags|p|parallel|failfast|json|shuffle|mod|l|trimpath|o|vet)(?:=.*)?$/u,
  gradle:
    /^(?:--(?:no-daemon|daemon|info|quiet|stacktrace|console|parallel|continue|offline|build-cache|rerun-tasks|warning-mode|tests)(?:=.*)?|-[qis])$/u,
  mvn: /^(?:-[BqeXoUn]|-ntp|--(?:batch-mode|quiet|no-transfer-progress|offline|fail-at-end)|-T\d*C?)$/u,
  git: /^-{1,2}(?:quiet|q|exit-code|name-only|stat|porcelain|short|cached|staged|check|no-pager|no-ext-diff|oneline|show-toplevel|abbrev-ref|tags|always|dirty)$/u,
};
/** Files that decide what runs by a tool's name, where it stands. */
export const DECIDING: Readonly<Record<string, readonly string[]>> = {
  cargo: [".cargo/config.toml", ".cargo/config", "rust-toolchain", "rust-toolchain.toml"],
  go: ["go.work"],
  mix: ["mix.exs"],
  gradle: [
    "build.gradle",
    "build.gradle.kts",
    "settings.gradle",
    "settings.gradle.kts",
    "gradle.properties",
    "gradle/wrapper/gradle-wrapper.properties",
    "gradle/wrapper/gradle-wrapper.jar",
  ],
  mvn: [
    "pom.xml",
    ".mvn/extensions.xml",
    ".mvn/jvm.config",
    ".mvn/maven.config",
    ".mvn/wrapper/maven-wrapper.properties",
    ".mvn/wrapper/maven-wrapper.jar",
  ],
  dotnet: ["global.json", "Directory.Build.props", "Directory.Build.targets", ".config/dotnet-tools.json"],
  zig: ["build.zig"],
  swift: ["Package.swift"],
  poetry: ["pyproject.toml", "poetry.toml"],
  uv: ["pyproject.toml", "uv.toml"],
  bundle: ["Gemfile", ".bundle/config"],
};
/** One program by two names. */
export const SAME: Readonly<Record<string, string>> = { gradlew: "gradle", mvnw: "mvn", "py.test": "pytest", _mocha: "mocha" };
