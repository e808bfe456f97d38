/**
 * Reads one project file into what the index stores. Runs in a parsing thread. Never fails for what a
 * file contains: what cannot be read as text is known by its path alone. Secrets leave before anything else happens.
 */
import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import path from "node:path";
import { createRedactor, fileSensitivity, privatePlaces } from "../../guard/index.ts";
import { systemCode, SylkError, projectFile } from "../../kernel/index.ts";
import { grammarFor, languageOf } from "../../code/index.ts";
import { indexText } from "../text/tokenize.ts";
import { describePiece } from "./describe-piece.ts";
import { isTestFile, kindByName, looksBinary, looksGenerated } from "./classify-file.ts";
import { cutCode, cutSections, type Piece, type Section } from "./cut-chunks.ts";
import { htmlToText } from "./read-document.ts";
import { pdfToText } from "./read-pdf.ts";
import { bytesWanted } from "./read-limits.ts";
import { readSymbols, type CodeFacts } from "./read-symbols.ts";
import type { FileKind, FileReport, FoundChunk, ReadFile } from "../store/file-report.ts";
import { linesOf } from "../../code/lines/index.ts";

const MAX_READ_BYTES = 64 * 1024 * 1024;

type Redact = (text: string) => string;

function contentHash(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 32);
}

function pathText(file: string): string {
  return file.replaceAll(/[/.\\-]+/gu, " ");
}

function chunkOf(piece: Piece | Section, lines: readonly string[], file: ReadFile, facts: CodeFacts, keepText: boolean): FoundChunk {
  const text = lines.slice(piece.line - 1, piece.endLine).join("\n");
  const trail = "trail" in piece ? piece.trail.join(" ") : "";
  const inside = facts.symbols.filter((symbol) => symbol.line >= piece.line && symbol.line <= piece.endLine);
  const names = `${inside.map((symbol) => symbol.name).join(" ")} ${trail}`;
  return {
    line: piece.line,
    endLine: piece.endLine,
    name: piece.name,
    symbol: piece.symbol,
    hash: contentHash(Buffer.from(`${file.path}\n${trail}\n${text}`)),
    text: keepText ? text : undefined,
    ...describePiece(file.path, names, text),
  };
}

async function textOf(file: string, kind: FileKind, bytes: Uint8Array): Promise<{ text: string; extracted: boolean }> {
  if (/\.pdf$/iu.test(file)) return { text: await pdfToText(bytes), extracted: true };
  const text = new TextDecoder("utf-8").decode(bytes.subarray(0, bytesWanted(kind, bytes.length)));
  return /\.html?$/iu.test(file) && kind === "doc" ? { text: htmlToText(text), extracted: true } : { text, extracted: false };
}

async function fill(file: ReadFile, bytes: Uint8Array, redact: Redact): Promise<void> {
  const isPdf = /\.pdf$/iu.test(file.path);
  if (file.kind === "binary" || file.kind === "generated" || (!isPdf && looksBinary(bytes))) {
    if (file.kind !== "generated") file.kind = "binary";
    return;
  }
  const raw = await textOf(file.path, file.kind, bytes);
  if (file.kind !== "doc" && looksGenerated(raw.text)) {
    file.kind = "generated";
    return;
  }
  const text = redact(raw.text);
  const lines = linesOf(text);
  file.lines = lines.length;
  const extension = path.posix.extname(file.path).toLowerCase();
  const grammar = grammarFor(extension);
  file.language = grammar === undefined ? undefined : languageOf(extension)?.id;
  const isCode = file.kind === "code" || grammar !== undefined;
  const facts: CodeFacts = isCode ? await readSymbols(grammar, text, lines) : { symbols: [], mentions: [], broken: false };
  file.broken = facts.broken;
  file.symbols = facts.symbols;
  file.mentions = facts.mentions;
  const pieces = isCode ? cutCode(lines, facts.symbols) : cutSections(lines);
  file.chunks = pieces.map((piece) => chunkOf(piece, lines, file, facts, raw.extracted)).filter((chunk) => chunk.words !== "");
  const headings = pieces.flatMap((piece) => ("trail" in piece ? [piece.name] : []));
  file.symbolTokens = indexText([...facts.symbols.map((symbol) => symbol.name), ...headings].join(" "));
}

export interface ReaderOptions {
  root: string;
  secrets: readonly string[];
  closed: readonly string[];
}

export function createFileReader(options: ReaderOptions): (file: string, knownHash: string | undefined) => Promise<FileReport> {
  const redactor = createRedactor({ knownValues: options.secrets });
  return (file, knownHash) => readProjectFile(options, file, knownHash, (text) => redactor.redact(text).text);
}

async function readProjectFile(
  { root, closed }: ReaderOptions,
  file: string,
  knownHash: string | undefined,
  redact: Redact,
): Promise<FileReport> {
  const whole = path.join(root, file);
  try {
    const facts = await stat(whole);
    if (!facts.isFile()) return { kind: "gone", path: file };
    const kind = kindByName(file);
    const isClosed = privatePlaces.holding(closed, whole, root) !== undefined;
    const handling = isClosed ? "skip" : fileSensitivity(file).handling;
    const large = facts.size > MAX_READ_BYTES;
    const found = handling === "skip" || large ? undefined : projectFile.read(root, file, { maxBytes: MAX_READ_BYTES });
    if (found !== undefined && found.kind !== "read") return { kind: "gone", path: file };
    const bytes = found?.bytes ?? Buffer.from(`${facts.size}:${facts.mtimeMs}`);
    const hash = contentHash(bytes);
    if (hash === knownHash) return { kind: "same", path: file, size: facts.size, mtimeMs: facts.mtimeMs };
    const read: ReadFile = {
      path: file,
      hash,
      size: facts.size,
      mtimeMs: facts.mtimeMs,
      kind: handling === "skip" ? "hidden" : large ? "generated" : kind,
      language: undefined,
      lines: 0,
      test: isTestFile(file),
      broken: false,
      symbols: [],
      mentions: [],
      chunks: [],
      pathTokens: indexText(pathText(file)),
      symbolTokens: "",
    };
    if (handling !== "skip" && !large)
      await fill(read, bytes, redact).catch((error: unknown) => {
        if (!SylkError.is(error, "DOCUMENT_UNREADABLE")) throw error;
        read.kind = "binary";
      });
    return { kind: "read", path: file, file: read };
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "EACCES" || code === "ENOTDIR" || code === "EISDIR" || code === "ELOOP" || code === "EPERM")
      return { kind: "gone", path: file };
    throw error;
  }
}
