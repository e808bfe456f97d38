/** The style of a project, language by language: what its tools are told, then what its files show. Bounded, and kept while they stay as they are. */
import { statSync } from "node:fs";
import path from "node:path";
import { projectFile } from "../../kernel/index.ts";
import { configuredStyle, known } from "./configured-style.ts";
import { agreements, sampledStyle } from "./sampled-style.ts";
import { STYLED, styleLine, type StyledLanguage } from "./style.ts";

export interface ProjectStyle {
  /** The language of a file, by name; undefined: none that is known here. */
  languageOf(file: string): string | undefined;
  /** Languages a project is mostly written in, with one line each. */
  main(folder: string, files: readonly string[]): { language: string; line: string }[];
  /** Empty when nothing is known. */
  line(folder: string, language: string, files: readonly string[]): string;
  /** How far these files are written alike, 0 to 1, each language among its own; undefined: too few to tell. */
  agreement(folder: string, files: readonly string[]): number | undefined;
}

const SAMPLE = { files: 16, bytes: 24 * 1024, least: 3 };
/** Configuration beyond this is not written by hand. */
const MAX_CONFIG_BYTES = 64 * 1024;
/** Languages worth a line: the largest, and those that are not far behind. */
const MAIN = { most: 2, share: 0.2 };
const KEPT = 64;
const LEFT_OUT = /(?:^|\/)(?:node_modules|dist|build|vendor|third_party|generated|fixtures?)\/|\.min\.|\.d\.ts$|_pb2?\./u;
const CONFIGURED = [
  ".editorconfig .prettierrc .prettierrc.json .prettierrc.yaml .prettierrc.yml .prettierrc.toml .oxfmtrc.json .oxfmtrc.jsonc biome.json biome.jsonc",
  ".eslintrc .eslintrc.json .eslintrc.yml .eslintrc.yaml package.json pyproject.toml ruff.toml .ruff.toml rustfmt.toml .rustfmt.toml",
].flatMap((line) => line.split(" "));

const byName = (name: string): StyledLanguage | undefined => STYLED.find((one) => one.name === name);
const languageOf = (file: string): StyledLanguage | undefined =>
  STYLED.find(({ endings }) => endings.includes(path.posix.extname(file).toLowerCase()));

function spread(files: readonly string[]): string[] {
  const step = Math.max(1, Math.ceil(files.length / SAMPLE.files));
  return files.filter((_file, i) => i % step === 0);
}

function stamp(folder: string, files: readonly string[]): string {
  const of = (file: string): string => {
    const found = statSync(path.join(folder, file), { throwIfNoEntry: false });
    return found === undefined ? "" : `${file}:${found.size}:${found.mtimeMs}`;
  };
  return files.map(of).join("\n");
}

const textsOf = (folder: string, files: readonly string[]): { path: string; text: string }[] =>
  files.flatMap((file) => {
    const found = projectFile.read(folder, file, { maxBytes: SAMPLE.bytes });
    return found.kind === "read" ? [{ path: file, text: found.text }] : [];
  });

export function createProjectStyle(): ProjectStyle {
  const kept = new Map<string, { stamp: string; line: string }>();
  const line: ProjectStyle["line"] = (folder, name, files) => {
    const language = byName(name);
    if (language === undefined) return "";
    const own = files.filter((file) => languageOf(file) === language && !LEFT_OUT.test(file)).toSorted();
    const sample = spread(own);
    const now = stamp(folder, [...CONFIGURED, ...sample]);
    const key = `${folder}\n${name}`;
    const before = kept.get(key);
    if (before?.stamp === now) return before.line;
    const texts = textsOf(folder, sample);
    const shown = texts.length < SAMPLE.least ? {} : sampledStyle(language, texts);
    const told = configuredStyle(language, (file) => projectFile.text(folder, file, { maxBytes: MAX_CONFIG_BYTES }));
    const made = styleLine({ ...shown, ...known(told) });
    if (kept.size >= KEPT) kept.clear();
    kept.set(key, { stamp: now, line: made });
    return made;
  };
  return {
    line,
    languageOf: (file) => languageOf(file)?.name,
    agreement(folder, files) {
      const own = files.filter((file) => !LEFT_OUT.test(file)).toSorted();
      const shares = [...Map.groupBy(own, languageOf)].flatMap(([language, some]) =>
        language === undefined ? [] : agreements(language, textsOf(folder, spread(some))),
      );
      return shares.length === 0 ? undefined : shares.reduce((sum, one) => sum + one, 0) / shares.length;
    },
    main(folder, files) {
      const counted = [
        ...Map.groupBy(
          files.filter((file) => !LEFT_OUT.test(file)),
          languageOf,
        ),
      ].flatMap(([language, own]) => (language === undefined ? [] : [{ language: language.name, count: own.length }]));
      const all = counted.reduce((sum, { count }) => sum + count, 0);
      return counted
        .filter(({ count }) => count / all >= MAIN.share)
        .toSorted((a, b) => b.count - a.count)
        .slice(0, MAIN.most)
        .map(({ language }) => ({ language, line: line(folder, language, files) }))
        .filter((one) => one.line !== "");
    },
  };
}
