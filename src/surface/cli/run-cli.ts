/**
 * Parses the command line and runs one sub-command. Everything a user sees of a failure passes
 * through here: one line of what happened, one line of what to do, and an exit code.
 */
import path from "node:path";
import { setFlagsFromString } from "node:v8";
import { PERMISSION_MODES, VERSION, type App, type PermissionPolicy } from "../../app/index.ts";
import { SylkError, systemClock, must } from "../../kernel/index.ts";
import { connectHere, connectTo, type Connection } from "../connect.ts";
import { settleTrust, type SettlingDoors } from "./ask-trust.ts";
import type { CliContext } from "./command.ts";
import { COMMANDS } from "./command-table.ts";
import { buildProgress } from "./progress.ts";
import { EXIT, exitCodeOf } from "./exit-codes.ts";
import { goOnAlone, OpenWork } from "./go-on-alone.ts";
import { opensSession, withVerb } from "./goal-words.ts";
import { createOutput, type Output } from "./output.ts";
import { linePrompts } from "./prompts.ts";
import { stoppedBy } from "./stopped-on-purpose.ts";

interface GlobalOptions {
  json: boolean;
  quiet: boolean;
  color: boolean;
  /** Lines and nothing else, for screen readers and logs. */
  plain: boolean;
  cd: string;
  permissions: { mode: string | undefined; allow: string[]; deny: string[] };
  /** The server that does the work, instead of this process. */
  connect: string | undefined;
  args: string[];
  /** A session, where there is a terminal for one. */
  session: boolean;
}

/** Options that may stand anywhere are taken out before commander sees the rest. */
function takeGlobals(given: readonly string[]): GlobalOptions {
  const end = given.includes("--") ? given.indexOf("--") : given.length;
  const argv = given.flatMap((arg, i) =>
    i < end ? (/^(--(?:cd|connect|permission-mode|allow|deny))=(.*)$/s.exec(arg)?.slice(1, 3) ?? [arg]) : [arg],
  );
  const out: GlobalOptions = {
    json: false,
    quiet: false,
    color: process.stdout.isTTY && process.env["NO_COLOR"] === undefined && process.env["TERM"] !== "dumb",
    plain: process.env["TERM"] === "dumb",
    cd: process.cwd(),
    permissions: { mode: undefined, allow: [], deny: [] },
    connect: process.env["SYLK_CONNECT"] || undefined,
    args: [],
    session: false,
  };
  for (let i = 0; i < argv.length; i += 1) {
    const arg = must(argv[i]);
    if (arg === "--") {
      out.args.push(...argv.slice(i));
      break;
    }
    if (arg === "--json") out.json = true;
    else if (arg === "--quiet" || arg === "-q") out.quiet = true;
    else if (arg === "--no-color") out.color = false;
    else if (arg === "--plain") out.plain = true;
    else if (arg === "--connect") out.connect = argv[(i += 1)] ?? "";
    else if (arg === "--permission-mode") out.permissions.mode = argv[(i += 1)] ?? "";
    else if (arg === "--allow" || arg === "--deny") out.permissions[arg === "--allow" ? "allow" : "deny"].push(argv[(i += 1)] ?? "");
    else if (arg === "-C" || arg === "--cd") {
      i += 1;
      out.cd = path.resolve(out.cd, argv[i] ?? ".");
    } else out.args.push(arg);
  }
  out.session = out.args.length === 0 || opensSession(out.args);
  out.args = [...withVerb(out.args)];
  return out;
}

function policyOf({ mode: text, allow, deny }: GlobalOptions["permissions"]): PermissionPolicy {
  const mode = PERMISSION_MODES.find((known) => known === text);
  if (mode !== undefined || text === undefined) return { mode, allow, deny };
  throw new SylkError({
    code: "USAGE_PERMISSION_MODE",
    tier: "user_fixable",
    message: `there is no permission mode ${text}`,
    fix: `choose one of ${PERMISSION_MODES.join(", ")}`,
  });
}

type Broken = (code: string | undefined) => void;
let tellBroken: Broken | undefined;

/** What becomes of streams that broke; also of what is still in them when all is done. */
function onBroken(tell: Broken): void {
  if (tellBroken === undefined)
    for (const stream of [process.stdin, process.stdout, process.stderr])
      stream.on("error", ({ code }: NodeJS.ErrnoException) => tellBroken?.(code));
  tellBroken = tell;
}

/** Ctrl+C once asks the work to stop; a second time ends the process. So does a terminal that is closed, or whoever read along and went away. */
function watchSignals(stop: AbortController, work: OpenWork, setExit: (code: number) => void): Disposable & { interrupt(): Error } {
  let isGone = false;
  const end = (name: "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGPIPE", code: number | undefined): Error => {
    if (stop.signal.aborted && !isGone) process.exit(code);
    if (name === "SIGHUP" && !isGone) work.leave();
    isGone ||= name === "SIGHUP" || name === "SIGPIPE";
    if (code !== undefined) setExit(code);
    const reason = stoppedBy(name);
    stop.abort(reason);
    return reason;
  };
  const on = (name: "SIGINT" | "SIGTERM" | "SIGHUP", code: number) => {
    const listener = (): void => void end(name, code);
    process.on(name, listener);
    return () => process.off(name, listener);
  };
  // Nobody's terminal: whoever started it with nohup meant it to stay.
  const hangUp = process.stdin.isTTY ? [on("SIGHUP", EXIT.hungUp)] : [];
  const off = [on("SIGINT", EXIT.interrupted), on("SIGTERM", EXIT.terminated), ...hangUp];
  // A reader that went away (`sylk … | head`) is no error; a terminal that did is its end.
  onBroken((code) => {
    if (isGone || stop.signal.aborted) return;
    if (code === "EPIPE") end("SIGPIPE", undefined);
    else if (code === "EIO") end("SIGHUP", EXIT.hungUp);
  });
  return { interrupt: () => end("SIGINT", EXIT.interrupted), [Symbol.dispose]: () => off.forEach((undo) => undo()) };
}

/** Loaded when words are carried out: a session is on the screen before that. */
async function carryOut(cli: CliContext, args: readonly string[]): Promise<void> {
  const words = await import("./carry-out.ts");
  await words.carryOut(cli, args);
}

export async function runCli(argv: readonly string[]): Promise<number> {
  // As the user gave it; what this process starts for itself finds less.
  const env = { ...process.env };
  const globals = takeGlobals(argv);
  const out = createOutput(globals);
  const stop = new AbortController();
  let exit: number = EXIT.success;
  const setExit = (code: number): void => {
    exit = code;
  };
  const work = new OpenWork();
  using signals = watchSignals(stop, work, setExit);
  let connection: Promise<Connection> | undefined;
  const attended = process.stdin.isTTY && out.interactive && !out.json;
  let doors: SettlingDoors = { out, ask: linePrompts, interrupt: () => signals.interrupt() };
  const open = async (): Promise<Connection> => {
    if (globals.connect !== undefined) {
      mustHaveNoRules(globals.permissions);
      return connectTo(globals.connect, env, systemClock);
    }
    const options = {
      cwd: globals.cd,
      env,
      clock: systemClock,
      permissions: policyOf(globals.permissions),
      onBuilding: buildProgress(doors.out),
    };
    const opened = await connectHere(options);
    const words = globals.args.filter((arg) => !arg.startsWith("-"));
    const isStale = await settleTrust(opened.api, words[0], doors);
    if (isStale) await opened.close();
    const now = isStale ? await connectHere(options) : opened;
    for (const notice of await now.api.query({ type: "project.notices" }))
      doors.out.note(`${doors.out.style("yellow", "note:")} ${notice}`);
    if (usesSettings(words)) await showWarnings(now, doors.out);
    return now;
  };
  const connected = (): Promise<Connection> => (connection ??= open());
  const reopen = async (): Promise<void> => {
    const before = connection;
    connection = undefined;
    await (await before)?.close();
  };
  const cli: CliContext = {
    out,
    ask: linePrompts,
    cwd: globals.cd,
    env,
    commands: COMMANDS,
    signal: stop.signal,
    attended,
    sign: "sylk ",
    interrupt: () => signals.interrupt(),
    app: async () => localApp(await connected()),
    api: async () => (await connected()).api,
    send: async (command) => (await connected()).api.send(command, stop.signal),
    query: async (query) => (await connected()).api.query(query, stop.signal),
    policy: () => policyOf(globals.permissions),
    speakThrough: (given) => void (doors = given),
    reopen,
    permissionMode: {
      get: () => globals.permissions.mode ?? PERMISSION_MODES[0],
      async set(mode) {
        globals.permissions.mode = mode;
        await reopen();
      },
    },
    runs: (words, signal) => work.begin({ words, signal }),
    setExit,
  };
  try {
    if (globals.session && attended && process.stdout.isTTY && !globals.plain) await openSession(cli, globals);
    else await carryOut(cli, globals.args);
  } catch (error) {
    if (!stop.signal.aborted) {
      out.error(error);
      setExit(exitCodeOf(error));
    }
  } finally {
    const last = await connection?.catch(() => undefined);
    const left = last === undefined ? undefined : await wordsLeft(last, work);
    await last?.close();
    if (left !== undefined) await goOnAlone([...wordsOf(globals), ...left], env);
  }
  return exit;
}

/** What is to go on now that the terminal is gone, where the user wants that. */
async function wordsLeft({ api }: Connection, { left }: OpenWork): Promise<readonly string[] | undefined> {
  if (left === undefined) return undefined;
  const wanted = await api.query({ type: "setting.get", key: "terminal.on_close" }).catch(() => undefined);
  return wanted?.value === "detach" ? left : undefined;
}

/** What this command line says for all words, said again: the same folder, the same permissions. */
function wordsOf({ cd, connect, permissions: { mode, allow, deny } }: GlobalOptions): string[] {
  return [
    `--cd=${cd}`,
    ...(connect === undefined ? [] : [`--connect=${connect}`]),
    ...(mode === undefined ? [] : [`--permission-mode=${mode}`]),
    ...allow.map((rule) => `--allow=${rule}`),
    ...deny.map((rule) => `--deny=${rule}`),
  ];
}

async function openSession(cli: CliContext, { color, args }: GlobalOptions): Promise<void> {
  // It stays open for hours and mostly waits: what is no longer needed is given back sooner, for some processor time.
  setFlagsFromString("--memory-saver-mode");
  const { Session } = await import("./terminal/session.ts");
  const { firstRun } = await import("./first-run.ts");
  await new Session({ cli, version: VERSION, color, carryOut, first: args, firstRun }).run();
}

/** What a run may do is said where it runs. */
function mustHaveNoRules({ mode, allow, deny }: GlobalOptions["permissions"]): void {
  if (mode === undefined && allow.length === 0 && deny.length === 0) return;
  throw new SylkError({
    code: "USAGE_CONNECT",
    tier: "user_fixable",
    message: "permissions of a run are given to the process that runs it",
    fix: "start `sylk serve` with --permission-mode, --allow or --deny",
  });
}

function localApp({ app }: Connection): App {
  if (app !== undefined) return app;
  throw new SylkError({
    code: "USAGE_CONNECT",
    tier: "user_fixable",
    message: "this works only where the project is, not over --connect",
    fix: "leave out --connect, and SYLK_CONNECT",
  });
}

/** These tell themselves what is ignored, or show what has happened. */
const WITHOUT_SETTINGS =
  /^(trust|doctor|completion|questions|answer|journal|audit|usage|config (list|path|schema)|task (list|show|watch|diff))( |$)/;

function usesSettings(words: readonly string[]): boolean {
  return !WITHOUT_SETTINGS.test(words.join(" "));
}

async function showWarnings({ api }: Connection, out: Output): Promise<void> {
  // What the folder may not set yet was told with the rest that is not trusted.
  const { warnings: all } = await api.query({ type: "setting.list" });
  const warnings = all.filter(({ cause }) => cause !== "untrusted");
  if (warnings.length > 0) {
    const first = warnings[0];
    out.note(
      `${out.style("yellow", "warning:")} ${warnings.length} setting${warnings.length === 1 ? "" : "s"} ignored (${first?.source}${first?.path === "" ? "" : `: ${first?.path}`} ${first?.message})${warnings.length > 1 ? "; `sylk config list` shows all" : ""}`,
    );
  }
}
