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

export function createOutput(options: OutputOptions): Output {
  const colours = createColours();
  const interactive = process.stderr.isTTY && !options.quiet;
  /** What a terminal does beside showing text; one that can nothing would show it as text. */
  const signs = interactive && !options.json && process.env["TERM"] !== "dumb";
  let titled = false;
  let progressShown = false;
  const clear = (): void => {
    if (progressShown) process.stderr.write("\r\u001b[2K");
    progressShown = false;
  };
  const style = (how: Style, text: string): string => (options.color ? colours.style(how, text) : text);
  const say = (stream: NodeJS.WriteStream, text: string): void => void stream.write(`${colours.clean(text)}\n`);
  const output: Output = {
    json: options.json,
    interactive,
    line: (text = "") => {
      clear();
      say(process.stdout, text);
    },
    data: (value) => {
      clear();
      process.stdout.write(`${visibleJson(wireNames(value))}\n`);
    },
    result: (value, render) => (options.json ? output.data(value) : output.line(render())),
    prose: (value, render) => {
      if (options.json) return output.data(value);
      clear();
      process.stdout.write(`${wrapLines(colours.clean(render()), process.stdout.isTTY ? process.stdout.columns : undefined)}\n`);
    },
    paged: (value, render) => {
      if (options.json) return output.data(value);
      const text = render();
      clear();
      if (!showPaged(`${colours.clean(text)}\n`)) output.line(text);
    },
    note: (text) => {
      clear();
      if (!options.quiet) say(process.stderr, text);
    },
    progress: (text) => {
      if (!signs) return;
      clear();
      process.stderr.write(visibleLine(text).slice(0, Math.max(20, (process.stderr.columns || 80) - 1)));
      progressShown = true;
    },
    ring: () => {
      if (signs) process.stderr.write("\u0007");
    },
    title: (text) => {
      if (!signs || (text === undefined && !titled)) return;
      const keep = titled ? "" : "\u001b[22;2t";
      titled = text !== undefined;
      process.stderr.write(text === undefined ? "\u001b[23;2t" : `${keep}\u001b]2;${visibleLine(text)}\u0007`);
    },
    error: (error) => {
      clear();
      const known = SylkError.is(error);
      if (options.json) output.data({ type: "error", error: known ? error.toJSON() : { code: "UNEXPECTED", message: messageOf(error) } });
      const label = known && error.code.startsWith("E-") ? `ERROR [${error.code}]:` : "error:";
      say(process.stderr, `${style("red", label)} ${wording.shorten(messageOf(error), MAX_MESSAGE_CHARS)}`);
      if (known && error.fix !== undefined) say(process.stderr, `${style("cyan", "  fix:")} ${error.fix}`);
      if (!known && process.env["SYLK_LOG_LEVEL"] === "debug" && error instanceof Error) say(process.stderr, error.stack ?? "");
    },
    style,
  };
  return output;
}
