/**
 * Words with a slash that people wrote down themselves: Markdown files, the user's own and a trusted project's. One
 * stands for a request; what follows its name is put where the text says. Read anew each time: a file that changed
 * since it was trusted does not count.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { messageOf, projectFile, systemPaths, wording } from "../../kernel/index.ts";

export interface CustomCommand {
  /** Folders are parted by colons. */
  name: string;
  description: string;
  /** What is to follow it, as its writer says. */
  hint: string | undefined;
  text: string;
  /** As people know it. */
  file: string;
  from: "user" | "project";
  /** Why it is not used. */
  idle: string | undefined;
}

export interface CustomCommandPlaces {
  userDir: string;
  projectDir: string;
  trusts: (file: string, text: string) => boolean;
}

/** The first one that has a name wins. */
const PROJECT_PLACES = [".sylk/commands", ".claude/commands"];
const MAX_FILES = 500;
const MAX_DEPTH = 4;
const MAX_BYTES = 64 * 1024;
const SHOWN = 100;
const FRONT = /^\uFEFF?---[ \t]*\r?\n(?<front>[\s\S]*?)(?:\r?\n)?---[ \t]*(?:\r?\n|$)/u;
const NAME = /^[a-z][a-z0-9_-]*(?::[a-z0-9][a-z0-9_-]*)*$/u;

function filesBelow(folder: string, depth = 0): string[] {
  if (depth >= MAX_DEPTH) return [];
  try {
    return readdirSync(folder, { withFileTypes: true })
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((entry) => {
        if (entry.isDirectory()) return filesBelow(path.join(folder, entry.name), depth + 1).map((below) => `${entry.name}/${below}`);
        return entry.name.endsWith(".md") ? [entry.name] : [];
      });
  } catch {
    // Not there, or no folder: it brings nothing.
    return [];
  }
}

const stringOf = (value: unknown): string | undefined => (typeof value === "string" && value.trim() !== "" ? value.trim() : undefined);

const hintOf = (value: unknown): string | undefined => {
  const text = stringOf(value);
  return text === undefined ? undefined : wording.oneLine(text, SHOWN);
};

function commandFrom(name: string, text: string, place: Pick<CustomCommand, "file" | "from" | "idle">): CustomCommand {
  const front = FRONT.exec(text);
  const body = text.slice(front?.[0].length ?? 0).trim();
  const plain = { name, description: wording.oneLine(body, SHOWN), hint: undefined, text: body, ...place };
  if (!NAME.test(name)) return { ...plain, idle: "its name has more than small letters, digits, - and _" };
  if (body === "") return { ...plain, idle: "it says nothing" };
  try {
    const data: unknown = parse(front?.groups?.["front"] ?? "") ?? {};
    const { description, "argument-hint": hint } = data as Record<string, unknown>;
    return { ...plain, description: wording.oneLine(stringOf(description) ?? body, SHOWN), hint: hintOf(hint) };
  } catch (error) {
    return { ...plain, idle: `cannot be read: ${messageOf(error).split("\n")[0]}` };
  }
}

const nameOf = (file: string): string => file.slice(0, -".md".length).replaceAll("/", ":");

function usersOwn(dir: string): CustomCommand[] {
  return filesBelow(dir)
    .slice(0, MAX_FILES)
    .flatMap((below) => {
      const file = path.join(dir, below);
      if (systemPaths.kind(file) !== "file") return [];
      return [commandFrom(nameOf(below), readFileSync(file, "utf8").slice(0, MAX_BYTES), { file, from: "user", idle: undefined })];
    });
}

function ofProject({ projectDir, trusts }: CustomCommandPlaces, place: string): CustomCommand[] {
  return filesBelow(path.join(projectDir, place))
    .slice(0, MAX_FILES)
    .flatMap((below) => {
      const file = `${place}/${below}`;
      const text = projectFile.text(projectDir, file, { maxBytes: MAX_BYTES });
      if (text === undefined) return [];
      const idle = trusts(file, text) ? undefined : "not trusted, or changed since: `sylk trust` shows it and asks";
      return [commandFrom(nameOf(below), text, { file, from: "project", idle })];
    });
}

/** All there are, the project's before the user's; of one name the first that counts comes first. */
export function customCommands(places: CustomCommandPlaces): CustomCommand[] {
  return [...PROJECT_PLACES.flatMap((place) => ofProject(places, place)), ...usersOwn(places.userDir)];
}

/** The request it stands for. What follows it and is asked for nowhere comes last. */
export function expand({ text }: CustomCommand, rest: string): string {
  const words = rest.split(/\s+/u).filter((word) => word !== "");
  let used = false;
  const filled = text.replaceAll(/\$ARGUMENTS|\$(?<at>[1-9])/gu, (_all, at: string | undefined) => {
    used = true;
    return at === undefined ? rest.trim() : (words[Number(at) - 1] ?? "");
  });
  return used || rest.trim() === "" ? filled : `${filled}\n\n${rest.trim()}`;
}
