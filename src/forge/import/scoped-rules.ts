/**
 * Rules that say when they hold. What always holds, or for files of some kind, becomes the project's rules; what holds
 * in one folder becomes that folder's; what is chosen by its description is a skill here, what is called by name a command.
 */
import path from "node:path";
import { systemPaths } from "../../kernel/index.ts";
import { parseSkill, renderSkill } from "../read-skill.ts";
import type { Source } from "./source.ts";
import { placeOf, plainName, type Thing } from "./things.ts";

type Fields = Readonly<Record<string, unknown>>;

function patternsOf(fields: Fields): string[] {
  const value = fields["globs"] ?? fields["paths"];
  const list = typeof value === "string" ? value.split(",") : Array.isArray(value) ? value.map(String) : [];
  return list.map((one) => one.trim()).filter((one) => one !== "");
}

/** The folder all of them stay in; `.` when there is none. */
function folderOf(patterns: readonly string[]): string {
  const fixed = patterns.map((pattern) => {
    const parts = pattern.replace(/^\.?\//u, "").split("/");
    const at = parts.findIndex((part) => /[*?[{]/u.test(part));
    return parts.slice(0, at === -1 ? parts.length - 1 : at).join("/");
  });
  const [first = ""] = fixed;
  return first !== "" &&
    fixed.every((one) => one === first) &&
    !first.split("/").some((part) => part === ".." || part.toLowerCase() === ".git")
    ? first
    : ".";
}

interface Section {
  folder: string;
  from: string;
  text: string;
}

function sectionOf(name: string, from: string, body: string, patterns: readonly string[], folder: string): Section {
  const when =
    patterns.length === 0 || folder !== "." ? "" : `These hold for files that match ${patterns.map((one) => `\`${one}\``).join(", ")}.\n\n`;
  return { folder, from, text: `${body.startsWith("#") && when === "" ? "" : `## ${name}\n\n`}${when}${body}` };
}

/** One file of rules for each folder they hold in. */
function joined(source: Source, sections: readonly Section[]): Thing[] {
  const folders = [...new Set(sections.map(({ folder }) => folder))];
  return folders.map((folder) => {
    const parts = sections.filter((one) => one.folder === folder);
    const to = placeOf.rules(source.scope, folder);
    const text = `${parts.map((part) => part.text.trim()).join("\n\n")}\n`;
    return {
      kind: "rules",
      name: to.file,
      from: parts.map(({ from }) => from).join(", "),
      scope: source.scope,
      brings: { how: "file", to, text },
    };
  });
}

export function scopedRules(source: Source, files: readonly string[], projectDir: string): Thing[] {
  const { scope } = source;
  const sections: Section[] = [];
  const things = files.flatMap((file): Thing[] => {
    const from = source.shown(file);
    const text = source.text(file);
    if (text === undefined) return [];
    const name = plainName(
      path
        .basename(file)
        .replace(/\.(?:mdc|md)$/u, "")
        .replace(/^\./u, ""),
    );
    const thing = (kind: Thing["kind"], brings: Thing["brings"]): Thing[] => [{ kind, name, from, scope, brings }];
    if (typeof text !== "string") return thing("rules", { how: "left", why: text.why });
    const { fields, body: whole, description } = parseSkill(text);
    const body = whole.trim();
    if (body === "") return thing("rules", { how: "left", why: "says nothing" });
    const patterns = patternsOf(fields);
    const isPlain = !("alwaysApply" in fields) && !("globs" in fields) && !("paths" in fields) && description === "";
    if (isPlain || fields["alwaysApply"] === true || String(fields["alwaysApply"]) === "true" || patterns.length > 0) {
      const wanted = fields["alwaysApply"] === true ? "." : folderOf(patterns);
      const folder = wanted !== "." && systemPaths.kind(path.join(projectDir, wanted)) === "folder" ? wanted : ".";
      sections.push(sectionOf(name, from, body, fields["alwaysApply"] === true ? [] : patterns, folder));
      return [];
    }
    if (description === "") return thing("command", { how: "file", to: placeOf.command(scope, name), text: `${body}\n` });
    const skill = renderSkill({ name, description, body });
    return thing("skill", { how: "folder", to: placeOf.skill(scope, name), files: new Map([["SKILL.md", Buffer.from(skill)]]) });
  });
  return [...joined(source, sections), ...things];
}
