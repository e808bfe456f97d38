/** How a language is written in a project, as values and never as somebody's words; and the short line an agent is told. */
export interface Style {
  indent?: "tabs" | number | undefined;
  quotes?: "single" | "double" | undefined;
  semicolons?: boolean | undefined;
  trailingCommas?: boolean | undefined;
  columns?: number | undefined;
  functions?: Naming | undefined;
  types?: Naming | undefined;
  files?: Naming | undefined;
}

export type Naming = "camelCase" | "snake_case" | "PascalCase" | "kebab-case" | "UPPER_CASE";

export interface StyledLanguage {
  id: string;
  name: string;
  endings: readonly string[];
  /** What these fields mean nothing for is left out. */
  has: readonly (keyof Style)[];
  /** Its one formatter leaves no choice. */
  fixed?: Style;
}

const ALL = ["indent", "columns", "functions", "types", "files"] as const;

export const STYLED: readonly StyledLanguage[] = [
  {
    id: "typescript",
    name: "TypeScript",
    endings: [".ts", ".tsx", ".mts", ".cts"],
    has: [...ALL, "quotes", "semicolons", "trailingCommas"],
  },
  {
    id: "javascript",
    name: "JavaScript",
    endings: [".js", ".jsx", ".mjs", ".cjs"],
    has: [...ALL, "quotes", "semicolons", "trailingCommas"],
  },
  { id: "python", name: "Python", endings: [".py"], has: [...ALL, "quotes"] },
  { id: "go", name: "Go", endings: [".go"], has: ["files"], fixed: { indent: "tabs" } },
  { id: "rust", name: "Rust", endings: [".rs"], has: ["indent", "columns"] },
  { id: "java", name: "Java", endings: [".java"], has: ["indent", "columns"] },
  { id: "c", name: "C", endings: [".c", ".h"], has: ["indent", "columns", "functions"] },
  { id: "cpp", name: "C++", endings: [".cpp", ".cc", ".cxx", ".hpp"], has: ["indent", "columns"] },
  { id: "ruby", name: "Ruby", endings: [".rb"], has: ["indent", "quotes", "columns"] },
  { id: "php", name: "PHP", endings: [".php"], has: ["indent", "quotes", "columns"] },
  { id: "csharp", name: "C#", endings: [".cs"], has: ["indent", "columns"] },
];

/** One line of at most some forty tokens; empty when nothing is known. */
export function styleLine(style: Style): string {
  const { indent, quotes, semicolons, trailingCommas, columns, functions, types, files } = style;
  return [
    ...(indent === undefined ? [] : [indent === "tabs" ? "tabs" : `${indent} spaces`]),
    ...(quotes === undefined ? [] : [`${quotes} quotes`]),
    ...(semicolons === undefined ? [] : [semicolons ? "semicolons" : "no semicolons"]),
    ...(trailingCommas === undefined ? [] : [trailingCommas ? "trailing commas" : "no trailing commas"]),
    ...(columns === undefined ? [] : [`up to ${columns} columns`]),
    ...(functions === undefined ? [] : [`functions ${functions}`]),
    ...(types === undefined || types === "PascalCase" ? [] : [`types ${types}`]),
    ...(files === undefined ? [] : [`files ${files}`]),
  ].join(", ");
}
