/** Everything that may be asked to be done, by type. A group of its own per file. */
import type { OutputOf, ParsedOf, Sent } from "./define-call.ts";
import { guardCommands } from "./guard.ts";
import { journalCommands } from "./journal.ts";
import { knowledgeCommands } from "./knowledge.ts";
import { memoryCommands } from "./memory.ts";
import { modelCommands } from "./model.ts";
import { projectCommands } from "./project.ts";
import { questionCommands } from "./question.ts";
import { skillCommands } from "./skill.ts";
import { taskCommands } from "./task.ts";

export const commands = {
  ...guardCommands,
  ...journalCommands,
  ...knowledgeCommands,
  ...memoryCommands,
  ...modelCommands,
  ...projectCommands,
  ...questionCommands,
  ...skillCommands,
  ...taskCommands,
};

type Commands = typeof commands;
export type CommandType = keyof Commands;
export type Command<T extends CommandType = CommandType> = { [K in T]: Sent<Commands, K> }[T];
export type CommandInput<T extends CommandType> = ParsedOf<Commands[T]>;
export type Reply<T extends CommandType> = OutputOf<Commands[T]>;
