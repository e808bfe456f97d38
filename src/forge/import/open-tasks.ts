/** Open tasks of a task list, as a page a person reads and ready lines that start them. */
import { z } from "zod";
import { wording } from "../../kernel/index.ts";

const OPEN = new Set(["pending", "in-progress", "in_progress", "review", "blocked"]);
const MAX_LINE = 400;
const MAX_ID = 60;

const id = z.union([z.string(), z.number()]).transform(String);
const subtaskSchema = z.looseObject({ id, title: z.string(), status: z.string().default("pending") });
const taskSchema = z.looseObject({
  id,
  title: z.string(),
  description: z.string().default(""),
  details: z.string().nullish(),
  testStrategy: z.string().nullish(),
  status: z.string().default("pending"),
  priority: z.string().nullish(),
  dependencies: z.array(id).default([]),
  subtasks: z.array(subtaskSchema).nullish(),
});
type OpenTask = z.output<typeof taskSchema>;
const listSchema = z.looseObject({ tasks: z.array(z.unknown()) });

export interface TaskList {
  /** Empty where the list has no tags. */
  tag: string;
  open: OpenTask[];
  done: number;
  /** Entries that cannot be understood. */
  strange: number;
}

function listOf(tag: string, value: unknown): TaskList[] {
  const list = listSchema.safeParse(value);
  if (!list.success) return [];
  const read = list.data.tasks.map((one) => taskSchema.safeParse(one));
  const tasks = read.flatMap((one) => (one.success ? [one.data] : []));
  const open = tasks.filter(({ status }) => OPEN.has(status));
  return [{ tag, open: inOrder(open), done: tasks.length - open.length, strange: read.length - tasks.length }];
}

/** Those that others wait for come first; a circle is cut where it is met. Every task and every need is looked at once. */
function inOrder(tasks: readonly OpenTask[]): OpenTask[] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const needs = (task: OpenTask): OpenTask[] => task.dependencies.flatMap((needed) => byId.get(needed) ?? []);
  const ordered = new Set<OpenTask>();
  const entered = new Set<OpenTask>();
  for (const first of tasks) {
    // Not by calling itself: a list may be as deep as it is long.
    const way = entered.has(first) ? [] : [{ task: first, rest: needs(first).values() }];
    entered.add(first);
    for (let at = way.at(-1); at !== undefined; at = way.at(-1)) {
      const { value: next } = at.rest.next();
      if (next === undefined) ordered.add((way.pop() ?? at).task);
      else if (!entered.has(next)) {
        entered.add(next);
        way.push({ task: next, rest: needs(next).values() });
      }
    }
  }
  return [...ordered];
}

/** With and without tags. */
export function taskLists(value: unknown): TaskList[] {
  const plain = listOf("", value);
  if (plain.length > 0) return plain;
  return typeof value === "object" && value !== null ? Object.entries(value).flatMap(([tag, one]) => listOf(tag, one)) : [];
}

/** Nothing that talks to a terminal, turns the direction of writing or hides; lines and tabs stay. */
const plain = (text: string): string => text.replaceAll("\r\n", "\n").replaceAll(/(?![\n\t])[\p{Cc}\p{Cf}\u2028\u2029]/gu, "");
const line = (text: string, maxChars?: number): string => wording.oneLine(plain(text), maxChars);

/** One argument of a shell, whatever it says. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Somebody else's text between fences it cannot end. */
function fenced(text: string): string[] {
  const longest = [...text.matchAll(/`+/gu)].reduce((most, [row]) => Math.max(most, row.length), 2);
  const fence = "`".repeat(longest + 1);
  return [`${fence}text`, text, fence];
}

function entry(task: OpenTask, page: string): string {
  const id = line(task.id, MAX_ID);
  const facts = [
    task.status,
    ...(task.priority ? [`priority ${line(task.priority, MAX_ID)}`] : []),
    ...(task.dependencies.length > 0 ? [`after ${line(task.dependencies.join(", "), MAX_LINE)}`] : []),
  ];
  const asked = line(`${task.title}${task.description === "" ? "" : `: ${task.description}`}`, MAX_LINE);
  const told = (title: string, given: string | null | undefined): string[] => {
    const text = plain(given ?? "").trim();
    return text === "" ? [] : ["", ...(title === "" ? [] : [title, ""]), ...fenced(text)];
  };
  const parts = (task.subtasks ?? []).map(
    (one) => `- [${OPEN.has(one.status) ? " " : "x"}] ${line(one.id, MAX_ID)} ${line(one.title, MAX_LINE)}`,
  );
  return [
    `## ${id} ${line(task.title, MAX_LINE)}`,
    "",
    facts.join(", "),
    ...told("", task.description),
    ...told("", task.details),
    ...told("How it is tested:", task.testStrategy),
    ...(parts.length > 0 ? ["", ...parts] : []),
    "",
    "```sh",
    `sylk run -- ${quoted(`${asked} (task ${id} of ${page})`)}`,
    "```",
  ].join("\n");
}

/** The page; `page` is what it is called. */
export function taskPage(from: string, list: TaskList, page: string): string {
  const head = `# Open tasks${list.tag === "" ? "" : ` (${line(list.tag, MAX_ID)})`}\n\nFrom ${line(from)}, those that others wait for first. Each line \`sylk run …\` starts one.`;
  return `${[head, ...list.open.map((task) => entry(task, page))].join("\n\n")}\n`;
}
