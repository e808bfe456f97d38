/**
 * Skills in a task (SKF-014): the catalogue stands in the task's pinned text as one short line each;
 * `load_skill` brings a body, or one of its other files, into view page by page within the step's bound.
 */
import path from "node:path";
import { z } from "zod";
import { fileSensitivity } from "../guard/index.ts";
import { sha256, projectFile, wording } from "../kernel/index.ts";
import { countTokens } from "../model/index.ts";
import { defineAction, fitLines, type Action } from "../step/extensions/index.ts";
import type { Catalogue, FoundSkill } from "./discover-skills.ts";
import { parseSkill } from "./read-skill.ts";

/** Name of the task input that lists skills; the action is offered to tasks that have it. */
export const SKILLS_INPUT = "skills you can load with load_skill";
const LINE_CHARS = 240;

/** As many skills as fit, and how many did not. Empty when there are none. */
export function skillLines(catalogue: Catalogue, roomTokens: number): string {
  const lines: string[] = [];
  let used = 0;
  const usable = catalogue.skills.filter((skill) => skill.trusted);
  for (const { name, description } of usable) {
    const line = `- ${name}: ${wording.oneLine(description, LINE_CHARS)}`;
    const tokens = countTokens(line) + 1;
    if (used + tokens > roomTokens) break;
    used += tokens;
    lines.push(line);
  }
  const rest = usable.length - lines.length;
  if (lines.length > 0 && rest > 0) lines.push(`- and ${rest} more, by name`);
  return lines.join("\n");
}

/** A skill's files lie in its folder, links followed, and hold nothing that never leaves the machine. */
function contentOf(skill: FoundSkill, file: string | undefined, redact: Redact): { text: string; hash: string } | string {
  const inside = file ?? "SKILL.md";
  const where = path.resolve(skill.folder, inside);
  const strange = `${inside} is not a file of ${skill.name}`;
  if (!where.startsWith(path.resolve(skill.folder) + path.sep)) return strange;
  const found = projectFile.read(skill.folder, inside);
  if (found.kind === "none") return `${skill.name} has no ${inside}`;
  if (found.kind === "refused" || fileSensitivity(found.real).handling === "skip") return strange;
  if (found.cut) return `${inside} is too large`;
  const text = redact(found.text);
  if (text.includes("\0")) return `${inside} is not text`;
  return { text: file === undefined ? parseSkill(text).body.trim() : text, hash: sha256(text) };
}

type Redact = (text: string) => string;

export function createLoadSkillAction(catalogue: () => Catalogue, redact: Redact): Action {
  return defineAction({
    name: "load_skill",
    summary: "Bring a listed skill into view; file= for one of its other files, from= for a later page.",
    effect: "none",
    schema: z.object({ name: z.string(), file: z.string().optional(), from: z.int().min(1).optional() }),
    target: (args) => `${args.name}${args.file === undefined ? "" : `/${args.file}`}${args.from === undefined ? "" : `@${args.from}`}`,
    offeredTo: (task) => SKILLS_INPUT in task.inputs,
    async execute(args, context) {
      const skills = catalogue().skills.filter((one) => one.trusted);
      const skill = skills.find((one) => one.name === args.name);
      if (skill === undefined)
        return {
          ok: false,
          outcome: "unknown_skill",
          summary: `there is no skill ${args.name}; there are ${skills.map((one) => one.name).join(", ") || "none"}`,
        };
      const content = contentOf(skill, args.file, redact);
      if (typeof content === "string") return { ok: false, outcome: "not_found", summary: content };
      const all = content.text.split("\n");
      const from = args.from ?? 1;
      const lines = all.slice(from - 1);
      const fitting = Math.max(1, fitLines(lines, context.profile.page));
      const last = Math.min(all.length, from - 1 + fitting);
      const name = `skill ${skill.name}${args.file === undefined ? "" : `/${args.file}`}`;
      const more = last < all.length ? `; next page: load_skill with from=${last + 1}` : "";
      return {
        ok: true,
        outcome: "loaded",
        summary: `loaded ${name} lines ${from}-${last} of ${all.length}`,
        effects: [
          {
            op: "put",
            item: {
              key: `skill:${skill.name}${args.file === undefined ? "" : `/${args.file}`}`,
              kind: "loaded_context",
              title: `${name} lines ${from}-${last} of ${all.length}${more}`,
              content: await context.blobs.put(lines.slice(0, fitting).join("\n")),
              pinned: false,
              step: context.step,
            },
          },
        ],
        newsKey: `${name}:${content.hash}:${from}`,
      };
    },
  });
}
