/**
 * What a command says, and the only door to the terminal. Results go to stdout, progress and errors to
 * stderr; with `--json` stdout carries only JSON lines. Colour only on a terminal. Whatever passes is made
 * visible (`visible-text.ts`); only the colours given by `style` here are let through as such.
 */
import { randomBytes } from "node:crypto";
import { styleText } from "node:util";
import { messageOf, SylkError, wording } from "../../kernel/index.ts";
import { wireNames } from "../wire-names.ts";
import { holdsLines, isHeld, sayInTurn } from "./held-lines.ts";
import { showPaged } from "./pager.ts";
import { cutLine, wrapLines } from "./wrap-lines.ts";
import { visibleJson, visibleLine, visibleText } from "./visible-text.ts";

/** What was typed may be part of a message, however long it was. */
const MAX_MESSAGE_CHARS = 2_000;

type Style = Parameters<typeof styleText>[0];

/** How much fits. */
export interface Room {
  columns: number;
  rows: number;
}

/** Lines that fit into the room; what is longer than it is wide is cut. */
export type Draw = (room: Room) => readonly string[];

export interface Output {
  readonly json: boolean;
  /** True when a user is watching stderr. */
  readonly interactive: boolean;
  /** True when what lives is drawn below what is said. */
  readonly draws: boolean;
  /** Width to break words at; undefined where nobody looks. */
  readonly columns: number | undefined;
  /** The result, for people. */
  line(text?: string): void;
  /** The result, for machines: one JSON value on one line, its names in snake_case (`wire-names.ts`). */
  data(value: unknown): void;
  /** One of the two, by mode. */
  result(value: unknown, render: () => string): void;
  /** The same for words of Sylk's own, which a terminal should not break in the middle. */
  prose(value: unknown, render: () => string): void;
  /** The same for what may be long: a user at a terminal leafs through it. */
  paged(value: unknown, render: () => string): void;
  /** A note that is not the result. */
  note(text: string): void;
  /** Overwrites itself on a terminal, silent elsewhere. */
  progress(text: string): void;
  /** What stands below all that is said as long as it lives, drawn anew when given again; undefined: nothing does. */
  region(draw: Draw | undefined): void;
  /** Somebody is wanted: a bell, where a user is watching. */
  ring(): void;
  /** The same as a note of the desktop, where the terminal makes one of it. */
  notify(text: string): void;
  /** What the window is called from now on; undefined gives it its own name back. */
  title(text: string | undefined): void;
  error(error: unknown): void;
  /** Words of the command line as the user would say them here: `sylk task diff`, in a session `/diff`. */
  word(words: string): string;
  style(style: Style, text: string): string;
  /** Words of a model, for `line`: in a session as Markdown is read, elsewhere as they are. Each line behind `before`. */
  markdown(text: string, before?: string): string[];
}

export interface OutputOptions {
  json: boolean;
  quiet: boolean;
  color: boolean;
  /** Lines and nothing else: nothing that was said is drawn over. */
  plain?: boolean;
  /** How words of the command line are said here. */
  word?: (words: string) => string;
}

/**
 * Colours travel inside texts behind a word nobody else knows, so that the door can tell its own from those
 * a text brings along.
 */
function createColours(): {
  style(how: Style, text: string): string;
  own(text: string): string;
  clean(text: string): string;
  cleanLine(text: string): string;
} {
  const word = `${randomBytes(9).toString("hex")};`;
  const own = new RegExp(`${word}(\\d+)m`);
  const cleanBy =
    (visible: (text: string) => string) =>
    (text: string): string =>
      text
        .split(own)
        .map((part, i) => (i % 2 === 0 ? visible(part) : `\u001b[${part}m`))
        .join("");
  return {
    style: (how, text) =>
      styleText(how, "x", { validateStream: false })
        .replaceAll("\u001b[", word)
        .replace("x", () => text),
    // oxlint-disable-next-line no-control-regex -- colours of whoever drew a text that had none
    own: (text) => text.replaceAll(/\u001b\[([\d;]+)m/gu, (_all, codes: string) => codes.replaceAll(/(\d+);?/gu, `${word}$1m`)),
    clean: cleanBy(visibleText),
    cleanLine: cleanBy(visibleLine),
  };
}

/** One for all doors of this process: what was coloured for one of them may be said through another. */
const colours = createColours();

/** Where what is said goes; it is clean when it comes here. */
export interface OutputDoor {
  /** True when a user is watching. */
  readonly interactive: boolean;
  readonly draws: boolean;
  /** Width to break words at; undefined where nobody looks. */
  readonly columns: number | undefined;
  result(text: string): void;
  note(text: string): void;
  /** One line that overwrites itself; nothing takes it away. */
  progress(text: string): void;
  region(draw: Draw | undefined): void;
  ring(): void;
  notify(text: string): void;
  title(text: string | undefined): void;
  /** False when it is to be said as any result. */
  paged(text: string): boolean;
  /** Lines of so many columns, with colours; undefined where it is shown as it was written. */
  markdown?(text: string, columns: number): readonly string[] | undefined;
}

const MAX_NOTE_CHARS = 120;

export const desktopNote = (text: string): string => `\u001b]9;${text}\u0007`;

/** Of a screen, the part that what lives may take: what was said before it stays in sight. */
export const roomOf = (columns: number, rows: number): Room => ({ columns, rows: Math.max(3, Math.min(20, Math.floor(rows / 2))) });

/** Results on stdout, the rest on stderr. */
function streamDoor(options: OutputOptions): OutputDoor {
  const interactive = process.stderr.isTTY && !options.quiet;
  /** What a terminal does beside showing text; one that can nothing would show it as text. */
  const signs = interactive && !options.json && options.plain !== true && process.env["TERM"] !== "dumb";
  let titled = false;
  /** Lines below what was said, the last one without an end. */
  let below: readonly string[] = [];
  let region: Draw | undefined;
  const clear = (): void => {
    if (below.length > 0) process.stderr.write(`\r${below.length > 1 ? `\u001b[${below.length - 1}A` : ""}\u001b[J`);
    below = [];
  };
  /** The terminal breaks none of them, and would go on writing in its last column. */
  const draw = (given: readonly string[]): void => {
    const lines = given.map((line) => cutLine(line, process.stderr.columns || 80));
    if (isHeld() || (lines.length === below.length && lines.every((line, i) => line === below[i]))) return;
    process.stderr.write("\u001b[?2026h\u001b[?7l");
    clear();
    process.stderr.write(`${lines.join("\r\n")}\u001b[?7h\u001b[?2026l`);
    below = lines;
  };
  const drawRegion = (): void => {
    if (region !== undefined) draw(region(roomOf(process.stderr.columns || 80, process.stderr.rows || 24)));
  };
  const say =
    (stream: NodeJS.WriteStream) =>
    (text: string): void =>
      sayInTurn(() => {
        clear();
        stream.write(`${options.json || !stream.isTTY ? text : wrapLines(text, stream.columns)}\n`);
        drawRegion();
      });
  holdsLines({ clear, draw: drawRegion });
  return {
    interactive,
    draws: signs,
    columns: process.stdout.isTTY ? process.stdout.columns : undefined,
    result: say(process.stdout),
    note: say(process.stderr),
    progress(text) {
      if (signs && region === undefined) draw(text === "" ? [] : [text]);
    },
    region(given) {
      if (!signs) return;
      region = given;
      if (given === undefined) clear();
      else drawRegion();
    },
    ring: () => {
      if (signs) process.stderr.write("\u0007");
    },
    notify: (text) => {
      if (signs) process.stderr.write(desktopNote(text));
    },
    title(text) {
      if (!signs || (text === undefined && !titled)) return;
      const keep = titled ? "" : "\u001b[22;2t";
      titled = text !== undefined;
      process.stderr.write(text === undefined ? "\u001b[23;2t" : `${keep}\u001b]2;${text}\u0007`);
    },
    paged(text) {
      clear();
      // As it is: a change or a file that is shown may be copied from here.
      if (!showPaged(`${text}\n`)) process.stdout.write(`${text}\n`);
      drawRegion();
      return true;
    },
  };
}

export function createOutput(options: OutputOptions, door: OutputDoor = streamDoor(options)): Output {
  const word = options.word ?? ((words: string): string => `sylk ${words}`);
  const style = (how: Style, text: string): string => (options.color ? colours.style(how, text) : text);
  const output: Output = {
    json: options.json,
    interactive: door.interactive,
    draws: door.draws,
    get columns() {
      return door.columns;
    },
    line: (text = "") => door.result(colours.clean(text)),
    data: (value) => door.result(visibleJson(wireNames(value))),
    result: (value, render) => (options.json ? output.data(value) : output.line(render())),
    prose: (value, render) => (options.json ? output.data(value) : door.result(wrapLines(colours.clean(render()), door.columns))),
    paged: (value, render) => {
      if (options.json) return output.data(value);
      const text = render();
      if (!door.paged(colours.clean(text))) output.line(text);
    },
    note: (text) => (options.quiet ? undefined : door.note(colours.clean(text))),
    progress: (text) => door.progress(colours.cleanLine(text)),
    region: (draw) => door.region(draw === undefined ? undefined : (room) => draw(room).map((line) => colours.cleanLine(line))),
    ring: () => door.ring(),
    notify: (text) => door.notify(wording.oneLine(visibleLine(text), MAX_NOTE_CHARS)),
    title: (text) => door.title(text === undefined ? undefined : visibleLine(text)),
    error: (error) => {
      const known = SylkError.is(error);
      if (options.json) output.data({ type: "error", error: known ? error.toJSON() : { code: "UNEXPECTED", message: messageOf(error) } });
      const label = known && error.code.startsWith("E-") ? `ERROR [${error.code}]:` : "error:";
      const say = (text: string): void => door.note(colours.clean(text));
      say(`${style("red", label)} ${wording.shorten(messageOf(error), MAX_MESSAGE_CHARS)}`);
      const fix = known ? error.fix?.replaceAll(/`sylk ([^`]+)`/gu, (_all, words: string) => `\`${word(words)}\``) : undefined;
      if (fix !== undefined) say(`${style("cyan", "  fix:")} ${fix}`);
      if (!known && process.env["SYLK_LOG_LEVEL"] === "debug" && error instanceof Error) say(error.stack ?? "");
    },
    word,
    style,
    markdown(text, before = "") {
      const lines = door.markdown?.(visibleText(text.replaceAll("\t", "    ")), (door.columns ?? 80) - before.length);
      return (lines?.map((line) => colours.own(line)) ?? text.split("\n")).map((line) => `${before}${line}`);
    },
  };
  return output;
}
