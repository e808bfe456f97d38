/** What a source text offers to others, by the looks of its lines: functions and classes that are exported or public. */
import path from "node:path";

export interface Exported {
  name: string;
  /** From 1. */
  line: number;
  /** Its first line. */
  signature: string;
  /** The whole, as far as it is told by its indentation. */
  body: string;
}

const BY_ENDING: readonly { endings: readonly string[]; defines: RegExp }[] = [
  {
    endings: [".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts"],
    defines:
      /^export\s+(?:default\s+)?(?:(?:async\s+)?function\*?\s+|(?:abstract\s+)?class\s+|const\s+(?=[\w$]+(?:\s*:[^=]+)?\s*=\s*(?:async\b|function\b|\(|[\w$]+\s*=>|<)))(?<name>[A-Za-z_$][\w$]*)/u,
  },
  { endings: [".py"], defines: /^(?:(?:async\s+)?def|class)\s+(?<name>[A-Za-z]\w*)/u },
  { endings: [".go"], defines: /^(?:func|type)\s+(?<name>[A-Z]\w*)/u },
  { endings: [".rs"], defines: /^pub(?:\([^)]*\))?\s+(?:async\s+)?(?:fn|struct|trait)\s+(?<name>\w+)/u },
];
const MAX_BODY_LINES = 60;
const MAX_SIGNATURE = 140;

/** Empty for languages that are not known here. */
export function exportedIn(file: string, text: string): Exported[] {
  const ending = path.posix.extname(file).toLowerCase();
  const language = BY_ENDING.find(({ endings }) => endings.includes(ending));
  if (language === undefined || file.endsWith(".d.ts")) return [];
  const lines = text.split("\n");
  return lines.flatMap((line, at): Exported[] => {
    const name = language.defines.exec(line)?.groups?.["name"];
    if (name === undefined) return [];
    const after = lines.slice(at + 1, at + MAX_BODY_LINES);
    // Its end stands at the margin again.
    const end = after.findIndex((next) => /^[^\s})\]]/u.test(next));
    return [
      {
        name,
        line: at + 1,
        signature: line.trim().slice(0, MAX_SIGNATURE),
        body: [line, ...after.slice(0, end === -1 ? undefined : end)].join("\n"),
      },
    ];
  });
}

/** The words a name is made of: `formatDate`, `format_date` → format, date. */
export function wordsOfName(name: string): string[] {
  return (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/gu) ?? []).map((word) => word.toLowerCase());
}
