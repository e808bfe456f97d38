/**
 * A project's files at a glance, within a number of tokens: folders with how much is in them, and
 * the names that fit. Stable for a task's whole life, so it costs little and spares looking around.
 */
import { must } from "../../kernel/index.ts";
import { countTokens } from "../../model/index.ts";

interface Folder {
  files: string[];
  folders: Map<string, Folder>;
  total: number;
}

function treeOf(files: readonly string[]): Folder {
  const root: Folder = { files: [], folders: new Map(), total: 0 };
  for (const file of files) {
    const parts = file.split("/");
    let at = root;
    at.total += 1;
    for (const part of parts.slice(0, -1)) {
      let next = at.folders.get(part);
      if (next === undefined) at.folders.set(part, (next = { files: [], folders: new Map(), total: 0 }));
      next.total += 1;
      at = next;
    }
    at.files.push(must(parts.at(-1)));
  }
  return root;
}

function render(folder: Folder, name: string, depth: number, names: number): string[] {
  const indent = "  ".repeat(Math.max(0, depth));
  const shown = folder.files.toSorted().slice(0, names);
  const rest = folder.files.length - shown.length;
  const own = shown.length === 0 && rest === 0 ? "" : `${shown.join(" ")}${rest > 0 ? `${shown.length > 0 ? " " : ""}+${rest} files` : ""}`;
  const lines = name === "" ? (own === "" ? [] : [own]) : [`${indent}${name}/ ${own}`.trimEnd()];
  for (const [child, inside] of [...folder.folders].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    lines.push(...render(inside, child, name === "" ? 0 : depth + 1, names));
  return lines;
}

function shallow(folder: Folder, depth: number): Folder {
  if (depth === 0)
    return {
      files: folder.files,
      folders: new Map(
        [...folder.folders].map(([name, inside]) => [
          `${name} (${inside.total} files)`,
          { files: [], folders: new Map(), total: inside.total },
        ]),
      ),
      total: folder.total,
    };
  return { ...folder, folders: new Map([...folder.folders].map(([name, inside]) => [name, shallow(inside, depth - 1)])) };
}

/** Fewer names, then fewer levels, until it fits. */
export function projectOverview(files: readonly string[], roomTokens: number): string {
  const tree = treeOf(files);
  for (const [depth, names] of [
    [12, 1000],
    [12, 20],
    [6, 8],
    [4, 4],
    [3, 2],
    [2, 2],
    [1, 4],
    [0, 10],
    [0, 0],
  ] as const) {
    const text = render(shallow(tree, depth), "", 0, names).join("\n");
    if (text.length <= roomTokens * 6 && countTokens(text) <= roomTokens) return text;
  }
  return `${files.length} files`;
}

/** The lines of an overview that tell what is in these folders. */
export function foldersIn(overview: string, folders: ReadonlySet<string>): string[] {
  const path: string[] = [];
  return overview.split("\n").flatMap((line) => {
    const [, indent = "", name] = /^( *)(\S+)\/(?: |$)/.exec(line) ?? [];
    if (name === undefined) return folders.has(".") && !line.startsWith(" ") ? [line] : [];
    path.splice(indent.length / 2, path.length, name);
    const whole = path.join("/");
    return folders.has(whole) ? [`${whole}/${line.slice(line.indexOf("/") + 1)}`] : [];
  });
}
