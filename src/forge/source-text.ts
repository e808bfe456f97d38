/** A skill's raw material from existing files: a short text becomes the body, the rest goes to references (SKF-013). */
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { SylkError, must } from "../kernel/index.ts";
import { renderSkill, type SkillFiles } from "./read-skill.ts";
import { deriveDescription, deriveName, titleOf, understandRequest } from "./understand-request.ts";
import { filesBelow } from "./files-below.ts";

const TEXT = /\.(md|mdx|txt|rst|adoc|ts|tsx|js|mjs|py|go|rs|java|rb|sh|ya?ml|toml|json)$/i;
const MAX_FILES = 20;
const MAX_LOOKED_AT = 20_000;
const MAX_BYTES = 400_000;
const BODY_LINES = 120;

function filesOf(from: string): { name: string; text: string }[] {
  const at = statSync(from, { throwIfNoEntry: false });
  if (at === undefined)
    throw new SylkError({
      code: "SKILL_NO_SOURCE",
      tier: "user_fixable",
      message: `there is no ${from}`,
      fix: "name a file or folder to make the skill from",
    });
  const names = at.isFile()
    ? [from]
    : filesBelow(from, MAX_LOOKED_AT)
        .files.filter((name) => TEXT.test(name) && !/(^|\/)(node_modules|\.git|dist|build)\//.test(name))
        .map((name) => path.join(from, name))
        .toSorted();
  const files: { name: string; text: string }[] = [];
  let bytes = 0;
  for (const file of names.slice(0, MAX_FILES)) {
    const text = readFileSync(file, "utf8");
    bytes += text.length;
    if (bytes > MAX_BYTES) break;
    if (!text.includes("\0")) files.push({ name: path.basename(file), text });
  }
  if (files.length === 0)
    throw new SylkError({
      code: "SKILL_NO_SOURCE",
      tier: "user_fixable",
      message: `${from} holds no text a skill could be made from`,
      fix: "name Markdown, text or source files",
    });
  return files;
}

export interface SourceText {
  wish: string;
  text: string;
  files: SkillFiles;
}

export function readSourceText(from: string): SourceText {
  const sources = filesOf(from);
  const first = must(sources[0]);
  const heading = /^#\s+(.+)$/m.exec(first.text)?.[1];
  const paragraph = /^(?![#>\-*|`\s])(.{20,})$/m.exec(first.text)?.[1];
  const wish = (heading ?? paragraph ?? first.name.replace(/\.[^.]+$/, "").replaceAll(/[-_]+/g, " ")).trim().slice(0, 500);
  const name = deriveName(understandRequest(wish));
  const files: SkillFiles = {};
  const whole = sources.length === 1 && /\.(md|mdx|txt)$/i.test(first.name) && first.text.split("\n").length <= BODY_LINES;
  if (!whole) for (const source of sources) files[`references/${source.name}`] = source.text;
  const body = whole
    ? [`# ${titleOf(name)}`, "Input: $ARGUMENTS", "## How to apply this", first.text.replace(/^#\s+.+\n/, "").trim()]
    : [
        `# ${titleOf(name)}`,
        "Input: $ARGUMENTS",
        "## How to apply this",
        "1. Read the reference below that fits the input.\n2. Follow it; where it is silent, follow the code around the change.\n3. Say which reference was used.",
        "## How to find the right reference",
        Object.keys(files)
          .map((file) => `- \`${file}\``)
          .join("\n"),
        "> **To complete:** one line for each reference that says what it covers.",
      ];
  return { wish, text: renderSkill({ name, description: deriveDescription(wish), body: body.join("\n\n") }), files };
}
