/** What the parsing threads hand to the writing one: plain data only. */
export interface FoundSymbol {
  name: string;
  kind: string;
  line: number;
  endLine: number;
  signature: string;
  doc: string;
}

export interface FoundMention {
  name: string;
  kind: "call" | "import" | "extends" | "implements" | "reference";
  line: number;
  /** Place of the enclosing symbol in `symbols`. */
  symbol: number | undefined;
  count: number;
}

export interface FoundChunk {
  line: number;
  endLine: number;
  name: string;
  symbol: number | undefined;
  hash: string;
  /** Index tokens: of the names it defines or stands under, and of its text. */
  words: string;
  bag: Uint8Array;
  length: number;
  /** Kept only where the file itself cannot be read by lines (PDF, HTML). */
  text: string | undefined;
  /** Undefined where no word is known to the table, or there is no table. */
  vector: Int8Array | undefined;
}

export type FileKind = "code" | "doc" | "config" | "text" | "data" | "generated" | "binary" | "hidden";

export interface ReadFile {
  path: string;
  hash: string;
  size: number;
  mtimeMs: number;
  kind: FileKind;
  language: string | undefined;
  lines: number;
  test: boolean;
  broken: boolean;
  symbols: FoundSymbol[];
  mentions: FoundMention[];
  chunks: FoundChunk[];
  /** Index tokens of the whole file. */
  pathTokens: string;
  symbolTokens: string;
}

/** The file is as it was, or vanished while it was read. */
export type FileReport =
  | { kind: "read"; path: string; file: ReadFile }
  | { kind: "same"; path: string; size: number; mtimeMs: number }
  | { kind: "gone"; path: string };
