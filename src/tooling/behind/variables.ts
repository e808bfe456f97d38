/** Which variables may be set before a command: those that cannot name a program, or whose value is judged. */
import { existsSync } from "node:fs";
import path from "node:path";
import { shellLines } from "../../guard/index.ts";
import { takeNamed, type Behind, type Stand, type Word } from "./behind.ts";
import { NODE_OPTIONS } from "./node-options.ts";
import { walkOptions } from "./options.ts";

/** They say how to speak, where or when one is, and which kind of run this is. */
const HARMLESS =
  /^(?:CI|FORCE_COLOR|NO_COLOR|CLICOLOR(?:_FORCE)?|COLORTERM|TERM|COLUMNS|LINES|TZ|LANG|LANGUAGE|LC_[A-Z]+|DEBUG|LOG_LEVEL|VERBOSE|HOST|PORT|(?:NODE|APP|BABEL|RAILS|RACK|MIX|FLASK|DJANGO|VITE|GO|DENO|BROWSERSLIST|TS_JEST)_ENV|NODE_NO_WARNINGS|RUST_BACKTRACE|RUST_LOG|CARGO_TERM_COLOR|CARGO_INCREMENTAL|CGO_ENABLED|GOOS|GOARCH|PYTHONDONTWRITEBYTECODE|PYTHONUNBUFFERED|PYTHONHASHSEED|PYTHONIOENCODING|PYTHONUTF8|PYTHONFAULTHANDLER|NODE_TLS_REJECT_UNAUTHORIZED|UV_THREADPOOL_SIZE|BROWSERSLIST_IGNORE_OLD_DATA|TS_NODE_TRANSPILE_ONLY|TS_NODE_FILES|SOURCE_DATE_EPOCH)$/u;
/** They name programs, libraries or files of settings to interpreters, loaders, shells, compilers and package managers. */
const NAMES_PROGRAMS =
  /^(?:PATH|ENV|IFS|CDPATH|SHELL|SHELLOPTS|BASHOPTS|HOME|XDG_\w*|EDITOR|VISUAL|PAGER|BROWSER|CC|CXX|LD|AS|AR|MAKE\w*|GNUMAKEFLAGS|MFLAGS|\w*(?:PATH|OPTIONS|OPTS|FLAGS|ARGS|HOME|SHELL|WRAPPER|RUNNER|LINKER|PRELOAD|STARTUP|COMMAND|CMD|EXEC|CONFIG\w*|PLUGINS?|LOADER)|(?:LD|DYLD|BASH|ZDOT|NODE|NPM|YARN|PNPM|BUN|DENO|COREPACK|PYTHON|PYTEST|RUBY|PERL|PHP|LUA|R|GIT|SSH|GO|CARGO|RUST|GRADLE|MAVEN|JAVA|JDK|MIX|ERL|ELIXIR|UV|POETRY|PIP|TOX|NOX|BUNDLE|GEM|DOCKER|MOCHA|TS_NODE|JEST|VITEST|ESLINT|PLAYWRIGHT)_?\w*)$/iu;

/** `name` gets this value before a command runs; without one, it may be anything. */
export function judgeVariable(behind: Behind, name: string, value: Word, stand: Stand): void {
  if (HARMLESS.test(name)) return;
  const text = value.value;
  if (name === "NODE_OPTIONS" && text !== undefined && !/["'\\]/u.test(text)) {
    const words = text.split(/\s+/u).filter((word) => word !== "");
    const walked = walkOptions(behind, { name, args: words.map(shellLines.literalWord), stand }, NODE_OPTIONS);
    if (walked !== undefined && walked.rest.length > 0) behind.cannot(`${name}=${text} cannot be followed`);
    return;
  }
  if (name === "TS_NODE_PROJECT") takeNamed(behind, value, stand);
  else if (text === undefined || NAMES_PROGRAMS.test(name) || !/^(?:\d+|true|false|yes|no|on|off)?$/u.test(text))
    behind.cannot(`the variable ${name} is not one that is known`);
  else if (text !== "" && stand.at.some((from) => existsSync(path.join(from, text))))
    behind.cannot(`the variable ${name} may name ${text}`);
}

/** Often there before make begins, so that what a make file sets is handed on. */
export function isInherited(name: string): boolean {
  return (
    /^(?:PATH|ENV|IFS|CDPATH|HOME|EDITOR|VISUAL|PAGER|BROWSER|GOFLAGS|RUSTFLAGS|RUBY(?:OPT|LIB)|PERL5\w*|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|MAKEFILES|XDG_\w+|(?:LD|DYLD|BASH|NODE|NPM_CONFIG|PYTHON|GIT|SSH)_?\w+)$/iu.test(
      name,
    ) && !/^(?:NODE|PYTHON|GIT|SSH)(?:_(?:BIN|CMD|VERSION|FILES|SRC|DIR|ENV|MODULES|IMAGE))?$/iu.test(name)
  );
}
