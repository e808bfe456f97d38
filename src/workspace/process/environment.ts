/**
 * The environment a command starts with (TOO-008): what Sylk was started with, less anything that
 * looks like a secret, plus the invocation's own variables. Model keys never reach a command.
 */
export interface EnvironmentRules {
  /** Globs over variable names, any case. */
  blocked: readonly string[];
  /** When set, only these names are passed on. */
  allowedOnly?: readonly string[] | undefined;
}

const defaultEnvironmentRules: EnvironmentRules = {
  blocked: [
    "*_API_KEY",
    "*_APIKEY",
    "*_SECRET",
    "*_SECRET_*",
    "*_TOKEN",
    "*_TOKEN_*",
    "*_PASSWORD",
    "*_PASSWD",
    "*_PASSPHRASE",
    "*_PRIVATE_KEY",
    "*_CREDENTIALS",
    "AWS_*",
    "AZURE_*",
    "GOOGLE_APPLICATION_*",
    "GITHUB_TOKEN",
    "GH_TOKEN",
    "NPM_TOKEN",
    "NODE_AUTH_TOKEN",
    "PGPASSWORD",
    "MYSQL_PWD",
    "*DATABASE_URL",
    "*_DSN",
    "*_CONNECTION_STRING",
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "KUBECONFIG",
    "VAULT_*",
    "SYLK_*",
    // Sylk's own runtime switches must not change the behaviour of the user's programs.
    "NODE_OPTIONS",
    "NODE_CHANNEL_*",
    "NODE_COMPILE_CACHE",
    "VITEST*",
    // Git variables of an outer command would point an inner one at the wrong repository.
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_COMMON_DIR",
    "GIT_PREFIX",
    "LD_PRELOAD",
    "LD_AUDIT",
    "DYLD_INSERT_LIBRARIES",
  ],
};

/** Without a terminal to answer at, nothing may ask, page or colour. */
const QUIET: Readonly<Record<string, string>> = {
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
  PAGER: "cat",
  DEBIAN_FRONTEND: "noninteractive",
  NO_COLOR: "1",
  TERM: "dumb",
};

function matcher(globs: readonly string[]): (name: string) => boolean {
  if (globs.length === 0) return () => false;
  const source = globs.map((glob) => glob.replace(/[.+^${}()|[\]\\?]/gu, "\\$&").replaceAll("*", ".*")).join("|");
  const pattern = new RegExp(`^(?:${source})$`, "iu");
  return (name) => pattern.test(name);
}

/**
 * `extra` goes through the same rules; `granted` does not: it carries what the user approved, such
 * as a credential handed to one tool.
 */
export function cleanEnvironment(
  parent: Readonly<Record<string, string | undefined>>,
  options: {
    rules?: EnvironmentRules | undefined;
    extra?: Readonly<Record<string, string>> | undefined;
    granted?: Readonly<Record<string, string>> | undefined;
  } = {},
): Record<string, string> {
  const rules = options.rules ?? defaultEnvironmentRules;
  const blocked = matcher(rules.blocked);
  const allowed = rules.allowedOnly === undefined ? (): boolean => true : matcher(rules.allowedOnly);
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(parent)) if (value !== undefined && !blocked(name) && allowed(name)) env[name] = value;
  Object.assign(env, QUIET);
  for (const [name, value] of Object.entries(options.extra ?? {})) if (!blocked(name)) env[name] = value;
  return Object.assign(env, options.granted);
}
