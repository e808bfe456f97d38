/**
 * What a command says, and the only door to the terminal. Results go to stdout, progress and errors to
 * stderr; with `--json` stdout carries only JSON lines. Colour only on a terminal. Whatever passes is made
 * visible (`visible-text.ts`); only the colours given by `style` here are let through as such.
 */
import { randomBytes } from "node:crypto";
import { styleText } from "node:util";
import { messageOf, SylkError, wording } from "../../kernel/index.ts";
import { wireNames } from "../wire-names.ts";
import { showPaged } from "./pager.ts";
import { wrapLines } from "./wrap-lines.ts";
import { visibleJson, visibleLine, visibleText } from "./visible-text.ts";

/** What was typed may be part of a message, however long it was. */
const MAX_MESSAGE_CHARS = 2_000;

type Style = Parameters<typeof styleText>[0];

export interface Output {
  readonly json: boolean;
  /** True when a user is watching stderr. */
  readonly interactive: boolean;
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
  /** Somebody is wanted: a bell, where a user is watching. */
  ring(): void;
  /** What the window is called from now on; undefined gives it its own name back. */
  title(text: string | undefined): void;
  error(error: unknown): void;
  style(style: Style, text: string): string;
}

export interface OutputOptions {
  json: boolean;
  quiet: boolean;
  color: boolean;
}

/**
 * Colours travel inside texts behind a word nobody else knows, so that the door can tell its own from those
 * a text brings along.
 */
function createColours(): { style(how: Style, text: string): string; clean(text: string): string } {
  const word = `${randomBytes(9).toString("hex")};`;
  const own = new RegExp(`${word}(\\d+)m`);
  return {
    style: (how, text) =>
      styleText(how, "x", { validateStream: false })
        .replaceAll("\u001b[", word)
        .replace("x", () => text),
    clean: (text) =>
      text
        .split(own)
        .map((part, i) => (i % 2 === 0 ? visibleText(part) : `\u001b[${part}m`))
        .join(""),
  };
}

/** Where what is said goes; it is clean when it comes here. */
export interface OutputDoor {
  /** True when a user is watching. */
  readonly interactive: boolean;
  /** Width to break words at; undefined where nobody looks. */
  readonly columns: number | undefined;
  result(text: string): void;
  note(text: string): void;
  /** One line that overwrites itself; nothing takes it away. */
  progress(text: string): void;
  ring(): void;
  title(text: string | undefined): void;
  /** False when it is to be said as any result. */
  paged(text: string): boolean;
}

/** Results on stdout, the rest on stderr. */
function streamDoor(options: OutputOptions): OutputDoor {
  const interactive = process.stderr.isTTY && !options.quiet;
  /** What a terminal does beside showing text; one that can nothing would show it as text. */
  const signs = interactive && !options.json && process.env["TERM"] !== "dumb";
  let titled = false;
  let progressShown = false;
  const clear = (): void => {
    if (progressShown) process.stderr.write("\r\u001b[2K");
    progressShown = false;
  };
  const say =
    (stream: NodeJS.WriteStream) =>
    (text: string): void => {
      clear();
      stream.write(`${text}\n`);
    };
  return {
    interactive,
    columns: process.stdout.isTTY ? process.stdout.columns : undefined,
    result: say(process.stdout),
    note: say(process.stderr),
    progress(text) {
      if (!signs) return;
      clear();
      process.stderr.write(text.slice(0, Math.max(20, (process.stderr.columns || 80) - 1)));
      progressShown = true;
    },
    ring: () => {
      if (signs) process.stderr.write("\u0007");
    },
    title(text) {
      if (!signs || (text === undefined && !titled)) return;
      const keep = titled ? "" : "\u001b[22;2t";
      titled = text !== undefined;
      process.stderr.write(text === undefined ? "\u001b[23;2t" : `${keep}\u001b]2;${text}\u0007`);
    },
    paged(text) {
      clear();
      return showPaged(`${text}\n`);
    },
  };
}

export function createOutput(options: OutputOptions, door: OutputDoor = streamDoor(options)): Output {
  const colours = createColours();
  const style = (how: Style, text: string): string => (options.color ? colours.style(how, text) : text);
  const output: Output = {
    json: options.json,
    interactive: door.interactive,
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
    progress: (text) => door.progress(visibleLine(text)),
    ring: () => door.ring(),
    title: (text) => door.title(text === undefined ? undefined : visibleLine(text)),
    error: (error) => {
      const known = SylkError.is(error);
      if (options.json) output.data({ type: "error", error: known ? error.toJSON() : { code: "UNEXPECTED", message: messageOf(error) } });
      const label = known && error.code.startsWith("E-") ? `ERROR [${error.code}]:` : "error:";
      const say = (text: string): void => door.note(colours.clean(text));
      say(`${style("red", label)} ${wording.shorten(messageOf(error), MAX_MESSAGE_CHARS)}`);
      if (known && error.fix !== undefined) say(`${style("cyan", "  fix:")} ${error.fix}`);
      if (!known && process.env["SYLK_LOG_LEVEL"] === "debug" && error instanceof Error) say(error.stack ?? "");
    },
    style,
  };
  return output;
}
