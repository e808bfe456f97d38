/** What a piece of text is found by: its words for the index, its bag for weighing, its vector for nearness. */
import { wordVectors } from "../text/word-vectors.ts";
import type { FoundChunk } from "../store/file-report.ts";
import { tokenize } from "../text/tokenize.ts";
import { packWords } from "../text/word-bag.ts";

/** A name that is defined or a heading above counts so much more than a word of the text. */
const NAME_WEIGHT = 2;

export function describePiece(path: string, names: string, text: string): Pick<FoundChunk, "words" | "bag" | "length" | "vector"> {
  const [named, said] = [tokenize(names), tokenize(text)];
  const bag = packWords([named, NAME_WEIGHT], [said, 1]);
  const table = wordVectors();
  return {
    words: said.length === 0 ? "" : [...named, ...said].join(" "),
    bag: bag.bytes,
    length: said.length,
    vector: table.kind === "loaded" ? table.vectors.piece(path, said) : undefined,
  };
}
