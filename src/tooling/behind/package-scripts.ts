/** Scripts of a package, as its manager runs them: the one before, the one after, and what their lines run in turn. */
import path from "node:path";
import { must, projectFile } from "../../kernel/index.ts";
import type { Behind, Reader, Stand, Word } from "./behind.ts";
import { takeManagerFiles } from "./manager-settings.ts";

interface Manifest {
  folder: string;
  name: string | undefined;
  scripts: Readonly<Record<string, string>>;
  workspaces: readonly string[] | undefined;
  programs: readonly string[];
}

type Table = Record<string, unknown>;
const isTable = (value: unknown): value is Table => typeof value === "object" && value !== null && !Array.isArray(value);
const strings = (value: unknown): string[] | undefined =>
  Array.isArray(value) && value.every((one) => typeof one === "string") ? value : undefined;

/** Undefined when there is none; an unreadable one is said. */
export function readManifest(behind: Behind, folder: string): Manifest | undefined {
  const file = path.join(folder, "package.json");
  const found = projectFile.read(behind.root, file);
  if (found.kind === "none") return undefined;
  try {
    if (found.kind === "refused" || found.cut) throw new Error("unreadable");
    const table: unknown = JSON.parse(found.text);
    if (!isTable(table)) throw new Error("no table");
    const { name, scripts, workspaces, bin } = table;
    const plainName = typeof name === "string" ? name : undefined;
    // It says which manager, and from where.
    if (table["packageManager"] !== undefined)
      behind.says(`${behind.relative(file)}: packageManager ${JSON.stringify(table["packageManager"])}`);
    return {
      folder,
      name: plainName,
      scripts: Object.fromEntries(
        Object.entries(isTable(scripts) ? scripts : {}).flatMap(([key, line]) => (typeof line === "string" ? [[key, line]] : [])),
      ),
      workspaces:
        workspaces === undefined
          ? undefined
          : (strings(workspaces) ?? strings(isTable(workspaces) ? workspaces["packages"] : undefined) ?? []),
      programs: typeof bin === "string" ? [plainName?.split("/").at(-1) ?? ""] : isTable(bin) ? Object.keys(bin) : [],
    };
  } catch {
    behind.cannot(`${behind.relative(file)} cannot be read`);
    return undefined;
  }
}

/** The package a command is in: the nearest above, inside the project. */
export function packageOf(behind: Behind, folder: string): Manifest | undefined {
  for (let dir = folder; behind.isInside(dir); dir = path.dirname(dir)) {
    const manifest = readManifest(behind, dir);
    if (manifest !== undefined) return manifest;
    if (dir === path.dirname(dir)) break;
  }
  return undefined;
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** False when the package has no such script. */
export function scriptIn(reader: Reader, manifest: Manifest, name: string, extra: readonly Word[]): boolean {
  const { behind } = reader;
  const { folder, scripts } = manifest;
  takeManagerFiles(behind, folder);
  const line = Object.hasOwn(scripts, name) ? must(scripts[name]) : undefined;
  if (line === undefined) return false;
  if (extra.some(({ value }) => value === undefined)) behind.cannot(`what is handed to ${name} is decided when it runs`);
  const more = extra.map(({ value, source }) => ` ${quoted(value ?? source)}`).join("");
  if (more.length > 4_000) {
    behind.cannot(`${name} calls itself without end`);
    return true;
  }
  const label = folder === behind.root ? "" : `${behind.relative(folder)}/package.json `;
  for (const part of [`pre${name}`, name, `post${name}`]) {
    const text = Object.hasOwn(scripts, part) ? must(scripts[part]) : undefined;
    if (text === undefined) continue;
    behind.says(`${label}${part}: ${text}`);
    reader.line(part === name ? text + more : text, { at: [folder], home: folder });
  }
  return true;
}

/** Wherever the command may stand; there must be such a script in one of these places. */
export function packageScript(reader: Reader, stand: Stand, name: string, extra: readonly Word[]): void {
  const found = stand.at.map((from) => packageOf(reader.behind, from)).filter((manifest) => manifest !== undefined);
  const ran = found.map((manifest) => scriptIn(reader, manifest, name, extra));
  if (!ran.includes(true)) reader.behind.cannot(`${name} is no script of the package`);
}

export function scriptNames(behind: Behind, stand: Stand): string[] {
  return stand.at.flatMap((from) => Object.keys(packageOf(behind, from)?.scripts ?? {}));
}
