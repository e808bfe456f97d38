/**
 * The environment a command starts with (TOO-008): the variables that programs need to find themselves
 * and their tools, the names the user added, the invocation's own. Everything else stays outside, so
 * that no secret depends on having a name somebody thought of.
 */

/** Globs over variable names, any case. */
const ALLOWED: readonly string[] = [
  // the machine and the user's session
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "LC_*",
  "TZ",
  "TMPDIR",
  "TMP",
  "TEMP",
  "COLUMNS",
  "LINES",
  "CI",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_CACHE_HOME",
  "XDG_STATE_HOME",
  "XDG_CONFIG_DIRS",
  "XDG_DATA_DIRS",
  "SYSTEMROOT",
  "SYSTEMDRIVE",
  "WINDIR",
  "COMSPEC",
  "PATHEXT",
  "APPDATA",
  "LOCALAPPDATA",
  "USERPROFILE",
  "PROGRAMDATA",
  "PROGRAMFILES*",
  // certificates and libraries
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NIX_SSL_CERT_FILE",
  "CURL_CA_BUNDLE",
  "REQUESTS_CA_BUNDLE",
  "NODE_EXTRA_CA_CERTS",
  "LD_LIBRARY_PATH",
  "DYLD_LIBRARY_PATH",
  "LIBRARY_PATH",
  "CPATH",
  "C_INCLUDE_PATH",
  "CPLUS_INCLUDE_PATH",
  "PKG_CONFIG_PATH",
  "CC",
  "CXX",
  "AR",
  "LD",
  "CFLAGS",
  "CXXFLAGS",
  "CPPFLAGS",
  "LDFLAGS",
  "CMAKE_*",
  "MAKEFLAGS",
  "SDKROOT",
  "MACOSX_DEPLOYMENT_TARGET",
  // where tools and languages live
  "HOMEBREW_PREFIX",
  "HOMEBREW_CELLAR",
  "HOMEBREW_REPOSITORY",
  "NIX_PATH",
  "NIX_PROFILES",
  "ASDF_DIR",
  "ASDF_DATA_DIR",
  "MISE_DATA_DIR",
  "NODE_ENV",
  "NODE_PATH",
  "NVM_DIR",
  "NVM_BIN",
  "VOLTA_HOME",
  "FNM_DIR",
  "PNPM_HOME",
  "BUN_INSTALL",
  "DENO_DIR",
  "COREPACK_HOME",
  "VIRTUAL_ENV",
  "CONDA_PREFIX",
  "CONDA_DEFAULT_ENV",
  "PYENV_ROOT",
  "PYTHONPATH",
  "PYTHONHOME",
  "PYTHONUTF8",
  "PYTHONIOENCODING",
  "GOPATH",
  "GOROOT",
  "GOBIN",
  "GOCACHE",
  "GOMODCACHE",
  "GOFLAGS",
  "GOOS",
  "GOARCH",
  "GOTOOLCHAIN",
  "GOWORK",
  "CGO_*",
  "CARGO_HOME",
  "CARGO_TARGET_DIR",
  "CARGO_BUILD_*",
  "RUSTUP_HOME",
  "RUSTUP_TOOLCHAIN",
  "RUSTFLAGS",
  "RUST_BACKTRACE",
  "RUST_LOG",
  "JAVA_HOME",
  "JDK_HOME",
  "MAVEN_HOME",
  "M2_HOME",
  "GRADLE_HOME",
  "GRADLE_USER_HOME",
  "ANDROID_HOME",
  "ANDROID_SDK_ROOT",
  "KOTLIN_HOME",
  "GEM_HOME",
  "GEM_PATH",
  "BUNDLE_PATH",
  "RBENV_ROOT",
  "RUBYLIB",
  "DOTNET_ROOT",
  "NUGET_PACKAGES",
  "COMPOSER_HOME",
  "PERL5LIB",
  "MIX_ENV",
];

/** Never handed on by an invocation's own variables either: they change what other programs do, or are Sylk's. */
const FORBIDDEN: readonly string[] = [
  "SYLK_*",
  "NODE_OPTIONS",
  "NODE_CHANNEL_*",
  "NODE_COMPILE_CACHE",
  "VITEST*",
  "LD_PRELOAD",
  "LD_AUDIT",
  "DYLD_INSERT_LIBRARIES",
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_COMMON_DIR",
  "GIT_PREFIX",
  "GIT_CONFIG*",
  "SSH_AUTH_SOCK",
  "SSH_AGENT_PID",
];

/** Without a terminal to answer at, nothing may ask or page. */
const QUIET: Readonly<Record<string, string>> = {
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
  PAGER: "cat",
  DEBIAN_FRONTEND: "noninteractive",
};

const NO_COLOURS: Readonly<Record<string, string>> = { NO_COLOR: "1", TERM: "dumb" };

/** What says whether a program colours. Tests of colours depend on it, so a check gets the user's own. */
const COLOURS: readonly string[] = ["TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "PY_COLORS"];

function coloursOf(parent: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(COLOURS.flatMap((name) => (parent[name] === undefined ? [] : [[name, parent[name]]])));
}

function matcher(globs: readonly string[]): (name: string) => boolean {
  const source = globs.map((glob) => glob.replace(/[.+^${}()|[\]\\?]/gu, "\\$&").replaceAll("*", ".*")).join("|");
  const pattern = new RegExp(`^(?:${source})$`, "iu");
  return (name) => pattern.test(name);
}

const allowed = matcher(ALLOWED);
const forbidden = matcher(FORBIDDEN);

/** A name and a password before a host. */
const WITH_PASSWORD = /:\/\/[^/\s:@]+:[^/\s@]+@/u;

/**
 * `passed` are names the user added; `extra` are the invocation's own and still not `FORBIDDEN`;
 * `granted` is not judged: it carries what the user approved, such as a credential for one tool.
 */
export function cleanEnvironment(
  parent: Readonly<Record<string, string | undefined>>,
  options: {
    passed?: readonly string[] | undefined;
    extra?: Readonly<Record<string, string>> | undefined;
    granted?: Readonly<Record<string, string>> | undefined;
    colours?: "off" | "as the user has them" | undefined;
    errors?: "all" | undefined;
  } = {},
): Record<string, string> {
  const passed = new Set(options.passed);
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(parent))
    if (value !== undefined && (passed.has(name) || (allowed(name) && !WITH_PASSWORD.test(value)))) env[name] = value;
  Object.assign(env, QUIET, options.colours === "as the user has them" ? coloursOf(parent) : NO_COLOURS);
  for (const [name, value] of Object.entries(options.extra ?? {})) if (!forbidden(name)) env[name] = value;
  if (options.errors === "all") env["GOFLAGS"] = tellingAll(env["GOFLAGS"]);
  return Object.assign(env, options.granted);
}

/** Go's compiler stops after ten errors, so the next one that comes to light would look new. Who set it otherwise has reasons. */
function tellingAll(flags = ""): string {
  return flags.includes("-gcflags") ? flags : `${flags} -gcflags=-e`.trim();
}
