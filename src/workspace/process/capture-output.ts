/**
 * Takes the raw output of a command and turns it into lines: decoded, without terminal codes,
 * progress overwritten by `\r` reduced to its last state. Feeds the shaped view, the live listener
 * and, once the view no longer shows everything, a spill file with the whole (redacted) output.
 */
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import path from "node:path";
import { StringDecoder } from "node:string_decoder";
import { stripVTControlCharacters } from "node:util";
import type { Redact } from "../gate.ts";
import { createOutputShaper, type ShapeRules, type ShapedOutput, type Stream } from "./shape-output.ts";

export interface CaptureOptions {
  rules: ShapeRules;
  redact: Redact;
  spillFile: string;
  maxSpillBytes: number;
  /** Complete text of each stream is kept up to this size, for parsers. */
  maxStreamBytes: number;
  /** Every line as it appears, transient progress included; used for the adaptive timeout. */
  onLine?: ((line: string) => void) | undefined;
  onOutput?: ((piece: { stream: Stream; text: string }) => void) | undefined;
  /** Whether anybody takes the output now; absent: nobody does. */
  heard?: (() => boolean) | undefined;
}

export interface CapturedOutput {
  shaped: ShapedOutput;
  stdout: string;
  stderr: string;
  /** False when a stream was longer than what is kept. */
  complete: boolean;
}

export interface OutputCapture {
  write(stream: Stream, chunk: Buffer): void;
  finish(): CapturedOutput;
}

const MAX_LINE_CHARS = 64 * 1024;
/** Of a line without an end, what is kept back: it may be the beginning of a secret. */
const HELD_CHARS = 8 * 1024;
const STEP_CHARS = 1_021;
const SPILL_BATCH_CHARS = 64 * 1024;

const BLOCK_START = /-----BEGIN [A-Z ]+-----(?!.*-----END)/u;
const BLOCK_END = /-----END [A-Z ]+-----/u;
const MAX_BLOCK_LINES = 400;

interface StreamState {
  decoder: StringDecoder;
  rest: string;
  transient: string;
  kept: string[];
  keptBytes: number;
  complete: boolean;
}

/** Where a line without an end may be parted, so that no secret lies across. */
function partAt(text: string, redact: Redact): number {
  const whole = redact(text);
  for (let at = text.length - HELD_CHARS; at > 0; at -= STEP_CHARS)
    if (redact(text.slice(0, at)) + redact(text.slice(at)) === whole) return at;
  return text.length;
}

export function createOutputCapture(options: CaptureOptions): OutputCapture {
  const shaper = createOutputShaper(options.rules);
  const fresh = (): StreamState => ({
    decoder: new StringDecoder("utf8"),
    rest: "",
    transient: "",
    kept: [],
    keptBytes: 0,
    complete: true,
  });
  const streams: Record<Stream, StreamState> = { stdout: fresh(), stderr: fresh() };
  let totalBytes = 0;
  let pending: string[] = [];
  let pendingChars = 0;
  let spill: number | undefined;
  let spilled = 0;
  let block: { stream: Stream; lines: string[] } = { stream: "stdout", lines: [] };

  const flush = (): void => {
    if (pending.length === 0 || !shaper.overflowed) return;
    if (spill === undefined) {
      mkdirSync(path.dirname(options.spillFile), { recursive: true, mode: 0o700 });
      spill = openSync(options.spillFile, "w", 0o600);
    }
    const text = Buffer.from(options.redact(`${pending.join("\n")}\n`));
    const room = options.maxSpillBytes - spilled;
    if (room > 0) spilled += writeSync(spill, text.subarray(0, room));
    pending = [];
    pendingChars = 0;
  };

  const deliver = (stream: Stream, text: string): void => {
    shaper.push(stream, text);
    if (options.heard?.() === true) options.onOutput?.({ stream, text: options.redact(text) });
    if (spilled >= options.maxSpillBytes) return;
    pending.push(text);
    pendingChars += text.length + 1;
    if (pendingChars > SPILL_BATCH_CHARS) flush();
  };

  const release = (): void => {
    const { stream, lines } = block;
    if (lines.length === 0) return;
    block = { stream, lines: [] };
    for (const text of options.redact(lines.join("\n")).split("\n")) deliver(stream, text);
  };

  // A secret that spans lines must reach `redact` in one piece, wherever the view is cut later.
  const line = (stream: Stream, raw: string): void => {
    const text = stripVTControlCharacters(raw);
    if (block.lines.length > 0 && stream === block.stream) {
      block.lines.push(text);
      if (BLOCK_END.test(text) || block.lines.length >= MAX_BLOCK_LINES) release();
    } else if (BLOCK_START.test(text)) {
      release();
      block = { stream, lines: [text] };
    } else deliver(stream, text);
  };

  const feed = (stream: Stream, text: string): void => {
    const state = streams[stream];
    const all = state.rest + text;
    let from = 0;
    for (let i = 0; i < all.length; i += 1) {
      const code = all.charCodeAt(i);
      if (code !== 10 && code !== 13) continue;
      if (code === 13 && i + 1 === all.length) break;
      const piece = all.slice(from, i);
      const crlf = code === 13 && all.charCodeAt(i + 1) === 10;
      if (piece !== "" || code === 10 || crlf) options.onLine?.(stripVTControlCharacters(piece));
      if (code === 13 && !crlf) {
        if (piece !== "") state.transient = piece;
      } else {
        line(stream, piece === "" ? state.transient : piece);
        state.transient = "";
      }
      if (crlf) i += 1;
      from = i + 1;
    }
    state.rest = all.slice(from);
    if (state.rest.length > MAX_LINE_CHARS) {
      const at = partAt(state.rest, options.redact);
      line(stream, state.rest.slice(0, at));
      state.rest = state.rest.slice(at);
    }
  };

  return {
    write(stream, chunk) {
      totalBytes += chunk.length;
      const state = streams[stream];
      const text = state.decoder.write(chunk);
      if (state.keptBytes + chunk.length <= options.maxStreamBytes) {
        state.kept.push(text);
        state.keptBytes += chunk.length;
      } else state.complete = false;
      feed(stream, text);
    },
    finish() {
      for (const stream of ["stdout", "stderr"] as const) {
        const state = streams[stream];
        const tail = state.decoder.end();
        if (tail !== "") state.kept.push(tail);
        const last = state.rest.replace(/\r$/u, "") + tail;
        if (last !== "" || state.transient !== "") {
          options.onLine?.(last);
          line(stream, last === "" ? state.transient : last);
        }
      }
      release();
      flush();
      if (spill !== undefined) closeSync(spill);
      const { stdout, stderr } = streams;
      return {
        shaped: shaper.finish({ totalBytes, spillPath: spill === undefined ? undefined : options.spillFile, redact: options.redact }),
        stdout: options.redact(stdout.kept.join("")),
        stderr: options.redact(stderr.kept.join("")),
        complete: stdout.complete && stderr.complete,
      };
    },
  };
}
