/** Data: the options of interpreters that are known. What is not here is not followed. */
import type { KnownOptions } from "./options.ts";

export const NODE_OPTIONS: KnownOptions = {
  flags:
    /^--(?:test|test-only|test-force-exit|test-update-snapshots|no-warnings|warnings|no-deprecation|throw-deprecation|pending-deprecation|enable-source-maps|expose-gc|expose_gc|preserve-symlinks|preserve-symlinks-main|trace-(?:warnings|deprecation|uncaught|exit|sigint|sync-io|tls|gc)|abort-on-uncaught-exception|inspect|check|watch|no-addons|(?:no-)?(?:strip-types|experimental-(?:vm-modules|strip-types|transform-types|test-[a-z-]+|modules|json-modules|wasm-modules|import-meta-resolve|detect-module|require-module|fetch|websocket|sqlite|webstorage|global-[a-z]+|worker|abortcontroller|top-level-await)))$/u,
  valued:
    /^(?:-C|--(?:conditions|max-old-space-size|max_old_space_size|max-semi-space-size|stack-size|stack_size|stack-trace-limit|test-isolation|experimental-test-isolation|test-concurrency|test-name-pattern|test-skip-pattern|test-timeout|test-shard|test-coverage-[a-z]+|unhandled-rejections|disable-warning|dns-result-order|input-type|title|experimental-specifier-resolution|es-module-specifier-resolution))$/u,
  loads: /^(?:-r|--(?:require|import|loader|experimental-loader|test-reporter|test-global-setup))$/u,
  files: /^--env-file(?:-if-exists)?$/u,
};

/** `tsx`, `ts-node` and the like: node's own, and theirs. */
export const NODE_LIKE_OPTIONS: KnownOptions = {
  ...NODE_OPTIONS,
  flags: new RegExp(
    `${NODE_OPTIONS.flags.source}|^(?:-T|--(?:esm|transpile-only|transpileOnly|files|swc|pretty|type-check|quiet|no-cache))$`,
    "u",
  ),
  valued: new RegExp(NODE_OPTIONS.valued.source.replace("-C|", ""), "u"),
  loads: /^(?:-r|-C|--(?:require|import|loader|experimental-loader|compiler))$/u,
  files: /^(?:-P|--(?:project|tsconfig|env-file))$/u,
};

export const PYTHON_OPTIONS: KnownOptions = { flags: /^-[bBdEIOPqsSuv]+$/u, valued: /^-W$/u };
export const COVERAGE_OPTIONS: KnownOptions = {
  flags: /^(?:-a|-p|--(?:append|branch|parallel-mode|timid|pylib))$/u,
  valued: /^--(?:source|omit|include|context|concurrency|data-file)$/u,
  files: /^--rcfile$/u,
};
export const SHELL_OPTIONS: KnownOptions = { flags: /^(?:-[euxl]+|--(?:norc|noprofile|posix))$/u, valued: /^-o$/u };
export const RUBY_OPTIONS: KnownOptions = { flags: /^(?:-w|-W\d?|-I[\w:./-]+)$/u, valued: /^-I$/u, loads: /^-r$/u };
export const BARE_OPTIONS: KnownOptions = { flags: /^-[wT]$/u, valued: /^-I$/u };
export const DENO_OPTIONS: KnownOptions = {
  flags:
    /^(?:-A|-q|-R|-W|-N|-E|-S|--(?:allow-[a-z]+|deny-[a-z]+|no-check|check|quiet|no-lock|frozen|unstable[a-z-]*|parallel|fail-fast|coverage|cached-only|trace-leaks|doc|no-prompt))$/u,
  valued: /^--(?:filter|seed|reporter)$/u,
  files: /^(?:-c|--(?:config|import-map|env-file))$/u,
  loads: /^--preload$/u,
};
