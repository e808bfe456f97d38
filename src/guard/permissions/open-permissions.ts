/**
 * The guard's answer to every action: role, rules, lists, then the user. Each outcome is handed to the
 * recorder before the caller may act, and what would ask is denied when nobody can answer.
 */
import { must, once, wording } from "../../kernel/index.ts";
import type { CHOICES } from "../../protocol/index.ts";
import { privatePlaces } from "../secrets/private-places.ts";
import { createPermissionReader, rememberAnswers, type PermissionFile } from "./permission-file.ts";
import { canWait } from "./can-wait.ts";
import { decideArguments, decideShellLine, lineOf } from "./decide-command.ts";
import { decideDomain } from "./decide-domain.ts";
import { decidePath } from "./decide-path.ts";
import { decideTool } from "./decide-tool.ts";
import type { RoleRights } from "./rights.ts";
import { NO_RULES, findLineRule, type RuleSet, type Rules } from "./rules.ts";
import { allow, ask, combine, deny, sourceText, type AllowSource, type Decision, type PermissionContext, type Remember } from "./types.ts";

/** Of a command in a reason; whoever asks a user shows the whole line as well. */
const MAX_REASON_CHARS = 200;

export type GuardedAction =
  | { readonly kind: "read"; readonly path: string; readonly absolute: string }
  | {
      readonly kind: "write";
      readonly operation: "create" | "modify" | "delete" | "move";
      /** Relative to the workspace root, `/` between parts; absolute when in an extra root. */
      readonly path: string;
      readonly absolute: string;
      readonly bytes: number;
      /** What the change is: a name for it, and its text for whoever is asked about it. */
      readonly change?: { readonly id: string; diff(): string };
    }
  | {
      readonly kind: "run";
      readonly command:
        | /** Executable and arguments, no shell involved. */ { readonly kind: "direct"; readonly argv: readonly [string, ...string[]] }
        | /** A whole line for `sh -c`. */ { readonly kind: "shell"; readonly line: string };
      readonly cwd: string;
      readonly background: boolean;
      /** Hosts the command asks to reach; empty means none were asked for. */
      readonly network: readonly string[];
      /** Variables with keys of the user's that the command asks to be given. */
      readonly keys?: readonly string[];
    }
  | { readonly kind: "connect"; readonly target: string; readonly method: "read" | "any" }
  /** A tool of an MCP server; `line` is the whole call, as a person is shown it. */
  | { readonly kind: "call"; readonly server: string; readonly tool: string; readonly line: string };

/** `plan`: look only. `ask-edits`: every change of a file is asked about, with its diff, and every command that does more than look. `auto`: what would ask is allowed in the sandbox. `bypass`: only denials stand. */
export type PermissionMode = "default" | "ask-edits" | "accept-edits" | "plan" | "auto" | "bypass";

/**
 * What of a mode outlives the run it was given to. What allows more than the default holds for that run and no other:
 * nobody is there to see it come back.
 */
export function keptMode(mode: PermissionMode | undefined): (typeof CHOICES.keptMode)[number] | undefined {
  if (mode === "auto" || mode === "bypass") return undefined;
  return mode === "accept-edits" ? "default" : mode;
}

export type Answer =
  | { kind: "once" }
  /** `offer` is one of the question's. */
  | { kind: "keep"; where: "session" | "project" | "user"; offer: readonly Remember[] }
  /** `reason` is told to the agent. */
  | { kind: "deny"; reason?: string | undefined };

export interface PermissionQuestion {
  role: string;
  action: GuardedAction;
  /** Identity of the act: a refusal of it holds for the session. */
  act: string;
  /** The whole of the command, uncut; undefined when it is about something else. */
  line: string | undefined;
  reason: string;
  /** Of a change of a file. */
  diff?: string | undefined;
  /** A yes does not lift the sandbox it runs in. */
  sandboxed: boolean;
  /** What a lasting yes could keep, narrowest first; for a command the first is that very line. */
  offers: readonly (readonly Remember[])[];
}

/** What a plan says up front it will need (SEC-012). */
export interface WorkflowPermissions {
  commands: readonly string[];
  domains: readonly string[];
  paths: Readonly<Record<string, "read" | "write" | "delete">>;
  /** May ask for more while running. */
  allowRuntimeEscalation: boolean;
}

export interface PermissionRecord {
  role: string;
  action: GuardedAction;
  outcome: "allowed" | "denied";
  /** `safe_list`, `project_allowlist`, `user_answer`, `role_insufficient`, … */
  source: string;
  detail: string;
}

export type GateAnswer =
  /** `onlySandboxed`: given because the command is isolated; without a sandbox it must not start. */
  { kind: "allow"; rule: string; onlySandboxed?: boolean | undefined } | { kind: "deny"; reason: string; rule: string };

export interface PermissionOptions {
  role: RoleRights;
  project: string;
  /** What the user allowed in this project. */
  projectFile: string;
  /** Work tree and further folders; the project when absent. */
  roots?: readonly string[] | undefined;
  home: string;
  /** Where it says that keys stand, nothing is read; absent: only the usual places are known. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Where commands find their programs; absent: not judged. */
  searchPath?: string | undefined;
  mode?: PermissionMode | undefined;
  /** The user's own permission file, for all projects. */
  userFile?: string | undefined;
  /** Rules of this run, such as those of the command line. */
  sessionRules?: Rules | undefined;
  declared?: WorkflowPermissions | undefined;
  /** Commands run in an OS sandbox, or the project is trusted. */
  buildsAreSafe?: boolean | undefined;
  /** How the work's own checks begin, as words. */
  checkPrograms?: (() => readonly (readonly string[])[]) | undefined;
  /** Built-in safe lists; on when absent. */
  useSafeLists?: boolean | undefined;
  /** A file of further safe commands and hosts, in the form of a permission file. */
  customSafeList?: string | undefined;
  /** False: answers for the project hold for this run only. */
  persist?: boolean | undefined;
  testsImproved?: (() => boolean) | undefined;
  /** Absent where nothing can be asked at all. Rejects when there is no answer yet, or the work is stopped. */
  ask?: ((question: PermissionQuestion, signal: AbortSignal | undefined) => Promise<Answer>) | undefined;
  /** Nobody is there, and whoever wants this has not been told so yet: what can wait is refused once before it is asked. */
  nobodyYet?: ((action: Extract<GuardedAction, { kind: "run" }>) => Promise<boolean>) | undefined;
  /** What was answered earlier in this session, by another process maybe. */
  answered?: (() => Promise<readonly { act: string; answer: Answer }[]>) | undefined;
  record: (record: PermissionRecord) => Promise<void>;
}

export interface Permissions {
  decide(action: GuardedAction, signal?: AbortSignal): Promise<GateAnswer>;
  /** The verdict without asking, remembering or recording. */
  preview(action: GuardedAction): Decision;
}

function layersOf(
  declared: WorkflowPermissions | undefined,
  session: Rules,
  file: PermissionFile,
  users: readonly (PermissionFile | undefined)[],
): RuleSet {
  const workflow: Rules =
    declared === undefined ? NO_RULES : { ...NO_RULES, commands: declared.commands, domains: declared.domains, paths: declared.paths };
  return {
    layers: [
      { scope: "session", rules: session },
      { scope: "workflow", rules: workflow },
      { scope: "project", rules: file.rules },
      ...users.map((user) => ({ scope: "user" as const, rules: user?.rules ?? NO_RULES })),
    ],
    allowModifyEnv: file.allowModifyEnv,
    allowModifyGitignore: file.allowModifyGitignore,
  };
}

function judge(context: PermissionContext, action: GuardedAction): Decision[] {
  switch (action.kind) {
    case "read":
      return [decidePath(context, action.absolute, "read")];
    case "write":
      return [decidePath(context, action.absolute, action.operation === "delete" || action.operation === "move" ? "delete" : "write")];
    case "connect":
      return [decideDomain(context, action.target, action.method)];
    case "call":
      return [decideTool(context, action)];
    case "run": {
      const here = { ...context, cwd: action.cwd };
      const command =
        action.command.kind === "shell" ? decideShellLine(here, action.command.line) : decideArguments(here, action.command.argv);
      return [decideKeys(here, action, command), ...action.network.map((host) => decideDomain(here, host, "any"))];
    }
  }
}

/** With a key in its hands even `echo` is no harmless command: whatever else allows it, the very line is asked about with that key. */
function decideKeys(context: PermissionContext, action: Extract<GuardedAction, { kind: "run" }>, command: Decision): Decision {
  const keys = [...(action.keys ?? [])].sort().join(", ");
  if (keys === "" || command.kind === "deny") return command;
  const line = commandOf(action);
  const value = `with ${keys}: ${line}`;
  const approved = findLineRule(context.rules, value);
  if (approved !== undefined) return allow(`${approved.scope}_allowlist`, "approved line with a key");
  return ask(`run ${wording.shorten(line, MAX_REASON_CHARS)} with your ${keys}, which it can read and print`, { kind: "line", value });
}

const LOOKING: ReadonlySet<AllowSource> = new Set(["safe_list", "scope_read", "wrapper"]);

/** Allowed, and for nothing but looking. */
function onlyLooks(decision: Decision): boolean {
  return decision.kind === "allow" && decision.sources.every((source) => LOOKING.has(source));
}

/** Identity of a question, so that a refusal holds for the session. */
function keyOf(action: GuardedAction): string {
  if (action.kind === "run") {
    const keys = (action.keys ?? []).length === 0 ? "" : `with ${action.keys?.join(", ")} `;
    return `run ${action.cwd} ${keys}${action.command.kind === "shell" ? action.command.line : JSON.stringify(action.command.argv)}`;
  }
  if (action.kind === "call") return action.line;
  if (action.kind === "connect") return `connect ${action.target}`;
  // A refusal of one change says nothing of another one of the same file.
  return `${action.kind} ${action.absolute}${action.kind === "write" && action.change !== undefined ? ` ${action.change.id}` : ""}`;
}

/** A change that nothing but its place allows. */
function decideEdit(action: Extract<GuardedAction, { kind: "write" }>, decision: Decision, folder: string): Decision {
  if (decision.kind !== "allow" || !decision.sources.includes("scope_write")) return decision;
  const access = action.operation === "delete" || action.operation === "move" ? "delete" : "write";
  const reason = `${action.operation} ${action.path}`;
  return { kind: "ask", reason, offers: [action.absolute, folder].map((value) => [{ kind: "path", value, access }]) };
}

/** What a command writes is not seen before it is written: a line that is allowed to by nothing but its place is asked about. */
function decideUnseen(context: PermissionContext, action: Extract<GuardedAction, { kind: "run" }>, decision: Decision): Decision {
  if (decision.kind !== "allow" || !decision.sources.some((source) => source === "scope_write" || source === "git_matrix")) return decision;
  const line = commandOf(action);
  const approved = findLineRule(context.rules, line);
  if (approved !== undefined) return allow(`${approved.scope}_allowlist`, "approved line");
  return ask(`run ${wording.shorten(line, MAX_REASON_CHARS)}`, { kind: "line", value: line });
}

/** For whoever wants to see each change first. */
function askEdits(context: PermissionContext, action: GuardedAction, decision: Decision): Decision {
  if (action.kind === "write") return decideEdit(action, decision, context.cwd);
  return action.kind === "run" ? decideUnseen(context, action, decision) : decision;
}

/**
 * A no to this very act stands in whatever mode the work goes on, and whether or not there is a sandbox by now. A rule
 * that somebody wrote since for a command or a host names it; one for a place says nothing of this change, nor of a
 * program that the sandbox lets run.
 */
function holdsNo(decision: Decision, action: GuardedAction): boolean {
  if (decision.kind !== "allow") return decision.kind === "ask";
  if (action.kind === "write" || !decision.sources.some((source) => source.endsWith("_allowlist"))) return true;
  return decision.placed === true && decision.sources.includes("safe_list_build");
}

function whatOf(decision: Decision, action: GuardedAction): string {
  if (decision.kind === "ask") return decision.reason;
  return action.kind === "write" ? `${action.operation} ${action.path}` : keyOf(action);
}

function commandOf(action: Extract<GuardedAction, { kind: "run" }>): string {
  return action.command.kind === "shell" ? action.command.line : lineOf(action.command.argv);
}

function withAnswers(rules: Rules, answers: readonly Remember[]): Rules {
  const of = (kind: Remember["kind"]): string[] => answers.filter((a) => a.kind === kind).map((a) => a.value);
  const paths = Object.fromEntries(answers.filter((a) => a.kind === "path").map((a) => [a.value, a.access] as const));
  return {
    ...rules,
    commands: [...rules.commands, ...of("command")],
    lines: [...rules.lines, ...of("line")],
    domains: [...rules.domains, ...of("domain")],
    tools: [...rules.tools, ...of("tool")],
    paths: { ...rules.paths, ...paths },
  };
}

export function openPermissions(options: PermissionOptions): Permissions {
  let session = options.sessionRules ?? NO_RULES;
  const refused = new Map<string, string>();
  const mode = options.mode ?? "default";
  const { userFile } = options;
  const readProject = createPermissionReader(options.projectFile);
  const readCustom = options.customSafeList === undefined ? () => undefined : createPermissionReader(options.customSafeList);
  const readUser = userFile === undefined ? () => undefined : createPermissionReader(userFile);
  const roots = options.roots ?? [options.project];
  const closed = privatePlaces.closed(options.home, options.env ?? {});

  const layers = (): PermissionContext["rules"] => layersOf(options.declared, session, readProject(), [readUser(), readCustom()]);
  /** A yes to the very line, written since. */
  const isLineKept = (action: GuardedAction): boolean => action.kind === "run" && findLineRule(layers(), commandOf(action)) !== undefined;

  const verdict = (action: GuardedAction): Decision => {
    const context: PermissionContext = {
      role: options.role,
      cwd: roots[0] ?? options.project,
      roots,
      rules: layers(),
      // A sandbox keeps what runs inside the project, and it is the project's files that are asked about.
      buildsAreSafe: options.buildsAreSafe === true && mode !== "ask-edits",
      checkPrograms: options.checkPrograms?.(),
      home: options.home,
      closed,
      programs: options.searchPath === undefined ? undefined : { searchPath: options.searchPath, anybodys: [options.project, ...roots] },
      useSafeLists: options.useSafeLists !== false,
      testsImproved: options.testsImproved?.(),
    };
    const judged = judge(context, action);
    const decisions = mode === "ask-edits" ? judged.map((one) => askEdits(context, action, one)) : judged;
    const denied = decisions.find((d) => d.kind === "deny");
    if (denied !== undefined) return denied;
    const mayChange = action.kind === "write" || action.kind === "call" || (action.kind === "connect" && action.method === "any");
    if (mode === "plan" && (mayChange || !decisions.every(onlyLooks))) return deny("plan_mode", "plan mode only looks");
    const asked = decisions.filter((d) => d.kind === "ask");
    if (asked.length === 0) return must(decisions[0]);
    if (mode === "bypass") return allow("bypass_mode", "permission mode bypass");
    if (mode === "auto" && action.kind === "run" && (action.keys ?? []).length === 0 && options.buildsAreSafe === true)
      return allow("auto_mode", "permission mode auto, in the sandbox");
    return combine(asked);
  };

  const question = async (
    action: GuardedAction,
    reason: string,
    offers: Remember[][],
    signal: AbortSignal | undefined,
  ): Promise<Decision> => {
    const key = keyOf(action);
    if (options.ask === undefined) return deny("non_interactive", `${reason}: needs a person's consent, and nobody is there to ask`);
    if (options.declared !== undefined && !options.declared.allowRuntimeEscalation)
      return deny("workflow_declaration", `${reason}: not declared by the plan, which may not ask for more`);
    const sandboxed = action.kind === "run" && options.buildsAreSafe === true;
    if (sandboxed && canWait(action) && (await options.nobodyYet?.(action)) === true)
      return deny(
        "non_interactive",
        `${reason}: needs a person's consent, and nobody is there. Go on without it; sent again, the work rests until the person answers`,
      );
    const asked = {
      role: options.role.id,
      action,
      act: key,
      line: action.kind === "run" ? commandOf(action) : action.kind === "call" ? action.line : undefined,
      reason,
      ...(action.kind === "write" && action.change !== undefined ? { diff: action.change.diff() } : {}),
      sandboxed,
      offers,
    };
    const answer = await options.ask(asked, signal);
    if (answer.kind === "deny") return deny("user_answer", `the user refused${refuse(key, answer.reason)} (${reason})`);
    if (answer.kind === "once") return allow("user_answer", "the user allowed it (once)");
    const kept = { session: undefined, project: options.projectFile, user: userFile }[answer.where];
    if (kept !== undefined && options.persist !== false) rememberAnswers(kept, answer.offer);
    else session = withAnswers(session, answer.offer);
    return allow("user_answer", `the user allowed it (${answer.where})`);
  };
  const refuse = (act: string, reason: string | undefined): string => {
    const why = (reason ?? "").trim();
    // The words come before the rest, which may be cut.
    const said = why === "" ? "" : `, saying: ${why}`;
    refused.set(act, said);
    return said;
  };
  /** A session outlives a process: what was said in it still counts. */
  const earlier = once(async () => {
    for (const { act, answer } of (await options.answered?.()) ?? []) {
      if (answer.kind === "deny") refuse(act, answer.reason);
      else if (answer.kind === "keep" && (answer.where === "session" || options.persist === false))
        session = withAnswers(session, answer.offer);
    }
  });

  return {
    preview: verdict,
    async decide(action, signal) {
      await earlier.get();
      const judged = verdict(action);
      const no = holdsNo(judged, action) && !isLineKept(action) ? refused.get(keyOf(action)) : undefined;
      const first =
        no === undefined ? judged : deny("user_answer", `refused earlier in this session by the user${no} (${whatOf(judged, action)})`);
      const decision = first.kind === "ask" ? await question(action, first.reason, first.offers, signal) : first;
      const allowed = decision.kind === "allow";
      const detail = decision.kind === "allow" ? decision.rule : decision.reason;
      const source = sourceText(decision);
      await options.record({ role: options.role.id, action, outcome: allowed ? "allowed" : "denied", source, detail });
      return allowed ? { kind: "allow", rule: `${source}: ${detail}` } : { kind: "deny", reason: detail, rule: source };
    },
  };
}
