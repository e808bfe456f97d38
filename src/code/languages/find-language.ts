/** Languages, grammars and text formats by the ending of a file (lower case, with the dot). */
import { FORMATS, LANGUAGES } from "./all-languages.ts";
import type { Grammar, Language, TextFormat } from "./language.ts";

const byExtension = new Map(LANGUAGES.flatMap((language) => language.extensions.map((ending) => [ending, language] as const)));

export function languageOf(extension: string): Language | undefined {
  return byExtension.get(extension);
}

export function languageById(id: string): Language | undefined {
  return LANGUAGES.find((language) => language.id === id);
}

export function grammarFor(extension: string): Grammar | undefined {
  return languageOf(extension)?.grammars?.find((grammar) => grammar.extensions?.includes(extension) ?? true);
}

export function formatOf(extension: string): TextFormat | undefined {
  return FORMATS.find((format) => format.extensions.includes(extension));
}
