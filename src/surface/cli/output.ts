/**
 * What a command says. Results go to stdout, progress and errors to stderr; with `--json` stdout
 * carries only JSON lines. Colour only on a terminal.
 */
import { styleText } from "node:util";
import { isSylkError, messageOf, shorten } from "../../kernel/index.ts";

/** What was typed may be part of a message, however long it was. */
const MAX_MESSAGE_CHARS = 2_000;

type Style = Parameters<typeof styleText>[0];

export interface Output {
  readonly json: boolean;
  /** True when a person is watching stderr. */
  readonly interactive: boolean;
  /** The result, for people. */
  line(text?: string): void;
  /** The result, for machines: one JSON value on one line. */
  data(value: unknown): void;
  /** One of the two, by mode. */
  result(value: unknown, render: () => string): void;
  /** A note that is not the result. */
  note(text: string): void;
  /** Overwrites itself on a terminal, silent elsewhere. */
  progress(text: string): void;
  error(error: unknown): void;
  style(style: Style, text: string): string;
}

export interface OutputOptions {
  json: boolean;
  quiet: boolean;
  color: boolean;
}

export function createOutput(options: OutputOptions): Output {
  const interactive = process.stderr.isTTY && !options.quiet;
  let progressShown = false;
  const clear = (): void => {
    if (progressShown) process.stderr.write("\r\u001b[2K");
    progressShown = false;
  };
  const style = (how: Style, text: string): string => (options.color ? styleText(how, text, { validateStream: false }) : text);
  const output: Output = {
    json: options.json,
    interactive,
    line: (text = "") => {
      clear();
      process.stdout.write(`${text}\n`);
    },
    data: (value) => {
      clear();
      process.stdout.write(`${JSON.stringify(value)}\n`);
    },
    result: (value, render) => (options.json ? output.data(value) : output.line(render())),
    note: (text) => {
      clear();
      if (!options.quiet) process.stderr.write(`${text}\n`);
    },
    progress: (text) => {
      if (!interactive || options.json) return;
      clear();
      process.stderr.write(text.slice(0, Math.max(20, (process.stderr.columns || 80) - 1)));
      progressShown = true;
    },
    error: (error) => {
      clear();
      const known = isSylkError(error);
      if (options.json)
        process.stdout.write(
          `${JSON.stringify({ type: "error", error: known ? error.toJSON() : { code: "UNEXPECTED", message: messageOf(error) } })}\n`,
        );
      const label = known && error.code.startsWith("E-") ? `ERROR [${error.code}]:` : "error:";
      process.stderr.write(`${style("red", label)} ${shorten(messageOf(error), MAX_MESSAGE_CHARS)}\n`);
      if (known && error.fix !== undefined) process.stderr.write(`${style("cyan", "  fix:")} ${error.fix}\n`);
      if (!known && process.env["SYLK_LOG_LEVEL"] === "debug" && error instanceof Error) process.stderr.write(`${error.stack ?? ""}\n`);
    },
    style,
  };
  return output;
}
