/**
 * What a project's formatters and editors are told. Somebody else's files: only numbers within bounds and words of our
 * own come out of them, never a text.
 */
import path from "node:path";
import { parse as parseToml } from "smol-toml";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import type { Style, StyledLanguage } from "./style.ts";

/** The text of a file of the project, if there is one. */
export type ReadFile = (file: string) => string | undefined;

const width = z.coerce.number().int().min(40).max(400);
const size = z.coerce.number().int().min(1).max(8);
const pick = <T>(schema: z.ZodType<T>, value: unknown): T | undefined => {
  const found = schema.safeParse(value);
  return value !== undefined && value !== null && found.success ? found.data : undefined;
};
const table = z.record(z.string(), z.unknown());
const at = (value: unknown, ...keys: readonly string[]): unknown => keys.reduce<unknown>((found, key) => pick(table, found)?.[key], value);
const yes = z.boolean();

function read(text: string | undefined, parse: (text: string) => unknown): unknown {
  if (text === undefined) return undefined;
  try {
    return parse(text);
  } catch {
    // Its own tool says what is wrong with it.
    return undefined;
  }
}

/** JSON with comments and commas at the end; YAML reads the rest. */
const parseLoose = (text: string): unknown =>
  parseYaml(text.replaceAll(/("(?:[^"\\\n]|\\.)*")|\/\/.*$|\/\*[^]*?\*\//gmu, "$1").replaceAll("\t", " "));

function fromPrettier(config: unknown): Style {
  const tabs = pick(yes, at(config, "useTabs"));
  const single = pick(yes, at(config, "singleQuote"));
  const commas = pick(z.enum(["all", "es5", "none"]), at(config, "trailingComma"));
  return {
    indent: tabs === true ? "tabs" : pick(size, at(config, "tabWidth")),
    quotes: single === undefined ? undefined : single ? "single" : "double",
    semicolons: pick(yes, at(config, "semi")),
    trailingCommas: commas === undefined ? undefined : commas !== "none",
    columns: pick(width, at(config, "printWidth")),
  };
}

function fromBiome(config: unknown): Style {
  const own = (key: string): unknown => at(config, "javascript", "formatter", key) ?? at(config, "formatter", key);
  const style = pick(z.enum(["tab", "space"]), own("indentStyle"));
  const semicolons = pick(z.enum(["always", "asNeeded"]), own("semicolons"));
  const commas = pick(z.enum(["all", "es5", "none"]), own("trailingCommas"));
  return {
    indent: style === "tab" ? "tabs" : pick(size, own("indentWidth")),
    quotes: pick(z.enum(["single", "double"]), own("quoteStyle")),
    semicolons: semicolons === undefined ? undefined : semicolons === "always",
    trailingCommas: commas === undefined ? undefined : commas !== "none",
    columns: pick(width, own("lineWidth")),
  };
}

function fromEslint(config: unknown): Style {
  const rule = (name: string): unknown => {
    const set = at(config, "rules", name);
    return Array.isArray(set) && set[0] !== 0 && set[0] !== "off" ? set[1] : undefined;
  };
  const semi = pick(z.enum(["always", "never"]), rule("semi"));
  const indent = rule("indent");
  return {
    indent: indent === "tab" ? "tabs" : pick(size, indent),
    quotes: pick(z.enum(["single", "double"]), rule("quotes")),
    semicolons: semi === undefined ? undefined : semi === "always",
    columns: pick(width, rule("max-len")),
  };
}

function fromScripts(file: ReadFile): Style[] {
  const manifest = read(file("package.json"), JSON.parse);
  const oxfmt = [".oxfmtrc.json", ".oxfmtrc.jsonc"].map((name) => fromPrettier(read(file(name), parseLoose)));
  const prettier = [
    fromPrettier(at(manifest, "prettier")),
    ...[".prettierrc", ".prettierrc.json", ".prettierrc.yaml", ".prettierrc.yml"].map((name) => fromPrettier(read(file(name), parseLoose))),
    fromPrettier(read(file(".prettierrc.toml"), parseToml)),
  ];
  const biome = ["biome.json", "biome.jsonc"].map((name) => fromBiome(read(file(name), parseLoose)));
  const eslint = [".eslintrc.json", ".eslintrc", ".eslintrc.yml", ".eslintrc.yaml"].map((name) => fromEslint(read(file(name), parseLoose)));
  return [...oxfmt, ...prettier, ...biome, ...eslint, fromEslint(at(manifest, "eslintConfig"))];
}

function fromPython(file: ReadFile): Style[] {
  const project = read(file("pyproject.toml"), parseToml);
  const ruffs = [read(file("ruff.toml"), parseToml), read(file(".ruff.toml"), parseToml), at(project, "tool", "ruff")];
  const black = at(project, "tool", "black");
  const ruff = ruffs.map((one): Style => ({
    indent: at(one, "format", "indent-style") === "tab" ? "tabs" : pick(size, at(one, "indent-width")),
    quotes: pick(z.enum(["single", "double"]), at(one, "format", "quote-style")),
    columns: pick(width, at(one, "line-length")),
  }));
  // Black leaves no choice of quotes, unless it is told to leave them alone.
  const quotes = black === undefined || at(black, "skip-string-normalization") === true ? undefined : "double";
  return [...ruff, { quotes, columns: black === undefined ? undefined : (pick(width, at(black, "line-length")) ?? 88) }];
}

function fromRust(file: ReadFile): Style[] {
  return ["rustfmt.toml", ".rustfmt.toml"].map((name): Style => {
    const config = read(file(name), parseToml);
    return {
      indent: at(config, "hard_tabs") === true ? "tabs" : pick(size, at(config, "tab_spaces")),
      columns: pick(width, at(config, "max_width")),
    };
  });
}

/** Does a section of .editorconfig hold for files with this ending? `[*]`, `[*.{js,ts}]`, `[src/**.py]`. */
function holdsFor(section: string, ending: string): boolean {
  if (section.length > 200) return false;
  if (section === "*") return true;
  const name = section.slice(section.lastIndexOf("/") + 1);
  const endings = /^\*+\.(?:\{([^{}]+)\}|([\w+-]+))$/u.exec(name);
  return (endings?.[1] ?? endings?.[2] ?? "").split(",").some((one) => `.${one.trim()}` === ending);
}

function fromEditor(text: string | undefined, ending: string): Style {
  let counts = false;
  const set = new Map<string, string>();
  for (const line of (text ?? "").split("\n")) {
    const section = /^\s*\[(.+)\]\s*$/u.exec(line)?.[1];
    if (section !== undefined) counts = holdsFor(section, ending);
    const pair = /^\s*([a-z_]+)\s*=\s*(\S+)\s*$/iu.exec(line);
    if (counts && pair !== null) set.set((pair[1] ?? "").toLowerCase(), (pair[2] ?? "").toLowerCase());
  }
  const indent = set.get("indent_style");
  return {
    indent: indent === "tab" ? "tabs" : (pick(size, set.get("indent_size")) ?? pick(size, set.get("tab_width"))),
    columns: pick(width, set.get("max_line_length")),
  };
}

export const known = (style: Style): Style => Object.fromEntries(Object.entries(style).filter(([, value]) => value !== undefined));

/** The first that says something of a field counts: the formatter before the editor. */
export function configuredStyle(language: StyledLanguage, file: ReadFile): Style {
  const ending = path.posix.extname(`x${language.endings[0] ?? ""}`);
  const scripts = language.id === "typescript" || language.id === "javascript";
  const tools = scripts ? fromScripts(file) : language.id === "python" ? fromPython(file) : language.id === "rust" ? fromRust(file) : [];
  const all = [...tools, fromEditor(file(".editorconfig"), ending), language.fixed ?? {}];
  return all.reduce<Style>((style, one) => ({ ...known(one), ...style }), {});
}
