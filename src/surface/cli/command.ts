/** What a sub-command module exports, and what it is given. */
import type { Command } from "commander";
import type { App, PermissionPolicy } from "../../app/index.ts";
import type { Api, Command as ApiCommand, Query, Result } from "../../protocol/api/index.ts";
import type { Conversation } from "./conversation.ts";
import type { Output } from "./output.ts";
import type { Prompts } from "./prompts.ts";

export interface CliContext {
  readonly out: Output;
  /** How a user who is there is asked. */
  readonly ask: Prompts;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly commands: readonly CommandEntry[];
  /** Aborted by Ctrl+C and by SIGTERM. */
  readonly signal: AbortSignal;
  /** A user is at the terminal and can be asked. */
  readonly attended: boolean;
  /** What stands before a word of the command line where the user says it: `sylk `, or a slash in a session. */
  readonly sign: string;
  /** In a session: what was said in it before. */
  readonly conversation?: Conversation;
  /** In a session: the model that was chosen in it for what is said next. */
  readonly model?: string | undefined;
  /** Stops the work as Ctrl+C does; the reason to throw. */
  interrupt(): Error;
  /** Connected on first use. */
  api(): Promise<Api>;
  /** The same, stopped when the command is. */
  send<T extends ApiCommand["type"]>(command: ApiCommand<T>): Promise<Result<T>>;
  query<T extends Query["type"]>(query: Query<T>): Promise<Result<T>>;
  /** For the few words that work only where the project is. */
  app(): Promise<App>;
  /** What the command line allows and denies. */
  policy(): PermissionPolicy;
  /** Where whatever has to be said or asked when it connects is said and asked from now on. */
  speakThrough(doors: Pick<CliContext, "out" | "ask">): void;
  /** What is opened from now on knows the settings as they are now. */
  reopen(): Promise<void>;
  /** How far things may go without asking: chosen for this process, and from the next use on. */
  readonly permissionMode: { get(): string; set(mode: string | undefined): Promise<void> };
  /** Something begins to run that these words go on with, should the terminal be closed; disposed when it does not run. */
  runs(words: readonly string[], signal: AbortSignal): Disposable;
  /** The exit code when the command ends without an error. */
  setExit(code: number): void;
}

/** A sub-command by name; its module is loaded when it is needed. */
export interface CommandEntry {
  /** The heading it stands below in help. */
  group: string;
  name: string;
  summary: string;
  load: () => Promise<{ command: CommandModule }>;
}

export interface CommandModule {
  /** Adds options, sub-commands, help and actions to a command that has its name already. */
  build(command: Command, cli: CliContext): void;
}
