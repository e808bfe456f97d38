/**
 * Actions under the names and with the arguments that hooks of other agents know, as data. A call that touches
 * several files is shown once for each, so that a hook that guards one file sees every way to it.
 */
import path from "node:path";

/** The first is the one a hook is told. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  read_file: ["Read"],
  search: ["Grep"],
  edit_file: ["Edit", "apply_patch", "replace"],
  multi_edit: ["MultiEdit", "Edit", "apply_patch", "replace"],
  write_file: ["Write", "apply_patch"],
  move_file: ["Edit", "Write", "apply_patch"],
  delete_file: ["Edit", "Write", "apply_patch"],
  rename: ["Edit", "apply_patch"],
  run_command: ["Bash", "shell", "run_shell_command"],
  reproduce: ["Bash", "shell", "run_shell_command"],
};

/** Arguments by our name and by theirs. */
const OTHER_ARGUMENTS: readonly { ours: string; theirs: string; place?: boolean }[] = [
  { ours: "path", theirs: "file_path", place: true },
  { ours: "find", theirs: "old_string" },
  { ours: "replace", theirs: "new_string" },
  { ours: "all", theirs: "replace_all" },
];

type Arguments = Readonly<Record<string, unknown>>;

const isArguments = (value: unknown): value is Arguments => typeof value === "object" && value !== null && !Array.isArray(value);

/** Every name a matcher may use for it. A tool of an MCP server is known by the server's name and its own. */
export function namesOf(action: string, args?: unknown): readonly string[] {
  const own = action === "mcp_call" && isArguments(args) ? [`mcp__${String(args["server"])}__${String(args["tool"])}`] : [];
  return [...own, ...(OTHER_NAMES[action] ?? []), action];
}

/** Our name for one of theirs, or of ours; undefined: nobody knows it. */
export function actionNamed(name: string): string | undefined {
  if (name in OTHER_NAMES) return name;
  return Object.entries(OTHER_NAMES).find(([, names]) => names[0] === name)?.[0];
}

function withTheirs(args: Arguments, folder: string): Arguments {
  const more = OTHER_ARGUMENTS.flatMap(({ ours, theirs, place }) => {
    const value = args[ours];
    if (value === undefined) return [];
    return [[theirs, place === true && typeof value === "string" ? path.resolve(folder, value) : value] as const];
  });
  return { ...args, ...Object.fromEntries(more) };
}

/** What a hook is told of a call, once for each file where there are several. */
export function shownInputs(action: string, args: unknown, folder: string): readonly Arguments[] {
  if (!isArguments(args)) return [{}];
  if (action === "move_file") return [args["from"], args["to"]].map((place) => ({ ...withTheirs({ path: place }, folder), ...args }));
  const { edits } = args;
  if (!Array.isArray(edits)) return [withTheirs(args, folder)];
  const byPath = Map.groupBy(edits.filter(isArguments), (edit) => edit["path"]);
  return [...byPath].map(([place, own]) => ({
    ...withTheirs({ path: place }, folder),
    edits: own.map((edit) => withTheirs(edit, folder)),
  }));
}

/** The arguments with what a hook changed of what it was shown, under either name. */
export function changedInput(args: unknown, shown: Arguments, updated: Arguments, folder: string): unknown {
  const changes: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(updated)) {
    const other = OTHER_ARGUMENTS.find(({ theirs }) => theirs === name);
    if (JSON.stringify(shown[name]) === JSON.stringify(value)) continue;
    const place = other?.place === true && typeof value === "string" ? path.relative(folder, path.resolve(folder, value)) : value;
    changes[other?.ours ?? name] = place;
  }
  return { ...(isArguments(args) ? args : {}), ...changes };
}
