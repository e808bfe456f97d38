/**
 * Keeps what a user's editor chose: encoding, byte-order mark and line endings. Edits are made on
 * text with `\n` only and carried back to the original bytes; what was not edited keeps its bytes.
 */
import { isUtf8 } from "node:buffer";

export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "latin1";
export type LineEnding = "lf" | "crlf" | "mixed" | "none";

export interface TextFormat {
  encoding: Encoding;
  bom: boolean;
  eol: LineEnding;
}

/** `raw` has its own line endings but no byte-order mark. */
export interface DecodedText {
  format: TextFormat;
  raw: string;
}

const SNIFF_BYTES = 8_000;

export function looksBinary(head: Uint8Array): boolean {
  if (startsWith(head, [0xff, 0xfe]) || startsWith(head, [0xfe, 0xff])) return false;
  return head.subarray(0, SNIFF_BYTES).includes(0);
}

function startsWith(bytes: Uint8Array, mark: readonly number[]): boolean {
  return mark.every((byte, i) => bytes[i] === byte);
}

function swapped(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2))).swap16();
}

export function lineEndingOf(text: string): LineEnding {
  let crlf = 0;
  let lf = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    if (at > 0 && text.charCodeAt(at - 1) === 13) crlf += 1;
    else lf += 1;
  }
  if (crlf === 0) return lf === 0 ? "none" : "lf";
  return lf === 0 ? "crlf" : "mixed";
}

/** Undefined for binary content, and for UTF-16 that would not come back as the same bytes. */
export function decodeText(bytes: Uint8Array): DecodedText | undefined {
  const make = (encoding: Encoding, bom: boolean, raw: string): DecodedText => ({ format: { encoding, bom, eol: lineEndingOf(raw) }, raw });
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (startsWith(bytes, [0xef, 0xbb, 0xbf]) && isUtf8(bytes)) return make("utf-8", true, buffer.toString("utf8", 3));
  const wide = startsWith(bytes, [0xff, 0xfe]) ? "utf-16le" : startsWith(bytes, [0xfe, 0xff]) ? "utf-16be" : undefined;
  if (wide !== undefined) {
    if (bytes.length % 2 !== 0) return undefined;
    const text = (wide === "utf-16le" ? buffer : swapped(bytes)).toString("utf16le", 2);
    return text.isWellFormed() ? make(wide, true, text) : undefined;
  }
  if (looksBinary(bytes)) return undefined;
  return isUtf8(bytes) ? make("utf-8", false, buffer.toString("utf8")) : make("latin1", false, buffer.toString("latin1"));
}

/** Undefined when the text has a character the encoding cannot hold. */
export function encodeText(raw: string, format: TextFormat): Buffer | undefined {
  switch (format.encoding) {
    case "utf-8":
      return raw.isWellFormed() ? Buffer.from(format.bom ? `\uFEFF${raw}` : raw, "utf8") : undefined;
    case "utf-16le":
      return Buffer.from(`\uFEFF${raw}`, "utf16le");
    case "utf-16be":
      return swapped(Buffer.from(`\uFEFF${raw}`, "utf16le"));
    case "latin1":
      // oxlint-disable-next-line no-control-regex
      return /[^\u0000-\u00ff]/u.test(raw) ? undefined : Buffer.from(raw, "latin1");
  }
}

/** Text for a whole-file write, in the endings the file had. */
export function withEnding(text: string, eol: LineEnding): string {
  return eol === "crlf" && !text.includes("\r\n") ? text.replaceAll("\n", "\r\n") : text;
}
