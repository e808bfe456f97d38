/** SKILL.md as text and as parts. Read leniently, written strictly (SKF-015). */
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { parse, stringify } from "yaml";
import { messageOf, SylkError, must } from "../kernel/index.ts";
import { filesBelow } from "./files-below.ts";

export const NAME_PATTERN = /^[a-z0-9]+(-[a-z0-9]+)*$/;
export const MAX_NAME_CHARS = 64;
export const MAX_DESCRIPTION_CHARS = 1_024;

export interface Skill {
  name: string;
  description: string;
  body: string;
  /** Every field of the frontmatter as it was read. */
  fields: Record<string, unknown>;
  /** What had to be forgiven. */
  warnings: string[];
}

/** A plain `key: value with: colons` line is what people write although YAML does not allow it. */
function looseFields(yaml: string): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const line of yaml.split("\n")) {
    const match = /^([A-Za-z][\w-]*):\s*(.*)$/.exec(line);
    if (match !== null)
      fields[must(match[1])] = must(match[2])
        .trim()
        .replace(/^(["'])(.*)\1$/, "$2");
  }
  return fields;
}

export function parseSkill(text: string): Skill {
  const warnings: string[] = [];
  let rest = text;
  if (rest.startsWith("\uFEFF")) {
    warnings.push("starts with a byte order mark");
    rest = rest.slice(1);
  }
  if (rest.includes("\r\n")) {
    warnings.push("has Windows line ends");
    rest = rest.replaceAll("\r\n", "\n");
  }
  const match = /^---[ \t]*\n([\s\S]*?)\n---[ \t]*(?:\n|$)([\s\S]*)$/.exec(rest);
  if (match === null) return { name: "", description: "", body: rest, fields: {}, warnings: [...warnings, "has no frontmatter"] };
  let fields: Record<string, unknown>;
  try {
    const parsed: unknown = parse(must(match[1]));
    if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) throw new Error("it is not a list of fields");
    fields = parsed as Record<string, unknown>;
  } catch (error) {
    warnings.push(`frontmatter is not valid YAML: ${messageOf(error).split("\n")[0]}`);
    fields = looseFields(must(match[1]));
  }
  const textOf = (key: string): string => (typeof fields[key] === "string" ? fields[key].trim() : "");
  return { name: textOf("name"), description: textOf("description"), body: must(match[2]), fields, warnings };
}

/** Generated skills carry the two required fields and nothing else. */
export function renderSkill(skill: Pick<Skill, "name" | "description" | "body">): string {
  // Several readers cut at the first three dashes, wherever they stand.
  const description = skill.description.replaceAll(/\s+/g, " ").replaceAll(/-{3,}/g, "–").trim();
  const front = stringify({ name: skill.name, description }, { lineWidth: 0 });
  return `---\n${front}---\n\n${skill.body.trim()}\n`;
}

/** The other files of a skill, by their path below its folder. */
export type SkillFiles = Record<string, string>;

const MAX_FILES = 200;
const MAX_BYTES = 5_000_000;

export interface SkillFolder {
  folder: string;
  text: string;
  files: SkillFiles;
}

/** Reads a skill from its folder or from its SKILL.md. */
export function readSkillFolder(where: string): SkillFolder {
  const at = statSync(where, { throwIfNoEntry: false });
  const folder = at?.isFile() === true ? path.dirname(where) : where;
  if (at === undefined || (at.isFile() && path.basename(where) !== "SKILL.md") || !isFile(path.join(folder, "SKILL.md")))
    throw new SylkError({
      code: "SKILL_NOT_FOUND",
      tier: "user_fixable",
      message: `${where} holds no SKILL.md`,
      fix: "name a skill's folder or its SKILL.md",
    });
  const files: SkillFiles = {};
  let bytes = 0;
  const below = filesBelow(folder, 2 * MAX_FILES);
  const tooLarge = new SylkError({
    code: "SKILL_TOO_LARGE",
    tier: "user_fixable",
    message: `${folder} holds more than ${MAX_FILES} files or ${MAX_BYTES / 1e6} MB`,
    fix: "a skill is a short text with few references; move large data elsewhere",
  });
  if (!below.whole) throw tooLarge;
  for (const name of below.files) {
    if (name === "SKILL.md") continue;
    const file = path.join(folder, name);
    bytes += statSync(file).size;
    if (Object.keys(files).length >= MAX_FILES || bytes > MAX_BYTES) throw tooLarge;
    files[name] = readFileSync(file, "utf8");
  }
  return { folder, text: readFileSync(path.join(folder, "SKILL.md"), "utf8"), files };
}

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}
