/**
 * Everything that may be asked to be done (commands) or told (queries), by type. Schemas take time to build, so a group
 * of them is loaded when one of its types is first asked for.
 */
import type { Call, OutputOf, ParsedOf, Sent } from "./define-call.ts";

const GROUPS = {
  goal: () => import("./goal.ts"),
  guard: () => import("./guard.ts"),
  journal: () => import("./journal.ts"),
  knowledge: () => import("./knowledge.ts"),
  mcp: () => import("./mcp.ts"),
  memory: () => import("./memory.ts"),
  model: () => import("./model.ts"),
  project: () => import("./project.ts"),
  question: () => import("./question.ts"),
  request: () => import("./request.ts"),
  skill: () => import("./skill.ts"),
  task: () => import("./task.ts"),
};
type GroupName = keyof typeof GROUPS;
type Group = Awaited<ReturnType<(typeof GROUPS)[GroupName]>>;
type Kind = "commands" | "queries";
type KeysOf<T> = T extends unknown ? keyof T & string : never;
type PartOf<T, K> = T extends unknown ? (K extends keyof T ? T[K] : never) : never;
type AllOf<K extends Kind> = { [T in KeysOf<Group[K]>]: PartOf<Group[K], T> extends infer C extends Call ? C : never };

type Commands = AllOf<"commands">;
export type CommandType = keyof Commands;
export type Command<T extends CommandType = CommandType> = { [K in T]: Sent<Commands, K> }[T];

type Queries = AllOf<"queries">;
export type QueryType = keyof Queries;
export type Query<T extends QueryType = QueryType> = { [K in T]: Sent<Queries, K> }[T];

type All = Commands & Queries;
/** What a command or a query takes, and what it gives back. */
export type Input<T extends keyof All> = ParsedOf<All[T]>;
export type Result<T extends keyof All> = OutputOf<All[T]>;

type Word<T> = T extends `${infer W}.${string}` ? W : never;

/** The group of a type, by its first word. */
const GROUP_OF: Readonly<Record<Word<CommandType | QueryType>, GroupName>> = {
  agent: "project",
  audit: "guard",
  auth: "guard",
  goal: "goal",
  hook: "project",
  import: "project",
  journal: "journal",
  knowledge: "knowledge",
  mcp: "mcp",
  memory: "memory",
  model: "model",
  permission: "guard",
  project: "project",
  question: "question",
  request: "request",
  sandbox: "model",
  secret: "guard",
  setting: "project",
  skill: "skill",
  task: "task",
  tool: "model",
  trust: "project",
  usage: "model",
};

/** What a type takes and gives back; undefined when there is no such type. */
async function find(kind: Kind, type: string): Promise<Call | undefined> {
  const word = type.split(".", 1)[0] ?? "";
  if (!Object.hasOwn(GROUP_OF, word)) return undefined;
  const calls: Readonly<Record<string, Call>> = (await GROUPS[GROUP_OF[word as keyof typeof GROUP_OF]]())[kind];
  return Object.hasOwn(calls, type) ? calls[type] : undefined;
}

async function types(kind: Kind): Promise<string[]> {
  const groups = await Promise.all(Object.values(GROUPS).map((load) => load()));
  return groups.flatMap((group) => Object.keys(group[kind]));
}

export const calls = { find, types } as const;
