/**
 * The screen of a session, and the only module that knows the toolkit it is drawn with. What lives is one tree: what
 * happens now, a question, the input, the status line. Finished lines stand above it: on the terminal's main screen
 * they are printed once and leave the tree, on a screen of its own they are kept and scroll.
 */
import {
  CombinedAutocompleteProvider,
  Container,
  Editor,
  Input,
  matchesKey,
  ProcessTerminal,
  ScrollView,
  SelectList,
  TuiAltScreen,
  TuiMainScreen,
  truncateToWidth,
  visibleWidth,
  VStack,
  wrapTextWithAnsi,
  type Component,
  type EditorTheme,
  type SelectListTheme,
  type Terminal,
  type TUI,
} from "@earendil-works/pi-tui";
import { must } from "../../../kernel/index.ts";
import { desktopNote, roomOf, type Draw } from "../output.ts";
import { pointedAt, type Cursor } from "../typed-choice.ts";
import { visibleLine, visibleText, visibleWords } from "../visible-text.ts";
import { beginningIn } from "../wrap-lines.ts";
import { coloursOf, cutAfter } from "./cut-line.ts";

export type { Terminal };
export { Markdown, setCapabilityOverrides, type MarkdownTheme } from "@earendil-works/pi-tui";

export const processTerminal = (): Terminal => new ProcessTerminal();

export type ScreenKind = "main" | "full";

type Paint = (text: string) => string;

interface ScreenLook {
  dim: Paint;
  strong: Paint;
  accent: Paint;
}

export interface ScreenKeys {
  /** What was typed, whole; pasted text is in it. */
  submit(text: string): void;
  /** Whether it was taken: words that stand in the input are no reason not to stop what runs. */
  escape(hasWords: boolean): boolean;
  interrupt(): void;
  /** Shift and Tab. */
  cycle(): void;
}

interface SlashWord {
  name: string;
  description: string;
}

interface Option {
  value: string;
  label: string;
  hint?: string | undefined;
  /** Other words that may be typed for it. */
  also?: readonly string[] | undefined;
  /** What Tab chooses here instead of Enter. */
  tab?: string | undefined;
}

/** Lines of what happens now, and of a question, that are drawn at most. */
const LIVE_ROWS = 8;
const QUESTION_ROWS = 12;
/** Less than this beside an indent, and the indent is given up. */
const LEAST_ROOM = 16;
/** Finished texts a screen of its own keeps; the journal has all of it. */
const KEPT_TEXTS = 4_000;
/** Keys of the editor. */
const TO = { nextPage: "\u001b[6~", lineEnd: "\u0005" };
/** Nothing was drawn yet: the next frame begins where the cursor stands. */
const FRESH = {
  previousLines: [],
  previousWidth: 0,
  previousHeight: 0,
  cursorRow: 0,
  hardwareCursorRow: 0,
  maxLinesRendered: 0,
  previousViewportTop: 0,
};

/** Broken between words; what goes on below stands where its text began. A word longer than the line is broken too. */
function wrapLine(line: string, width: number): string[] {
  if (visibleWidth(line) <= width) return [line];
  const { signs, below } = beginningIn(line, width);
  const at = cutAfter(line, signs);
  const room = width - visibleWidth(below);
  if (room < LEAST_ROOM) return wrapTextWithAnsi(line, width);
  const head = line.slice(0, at);
  const [first = "", ...rest] = wrapTextWithAnsi(`${coloursOf(head)}${line.slice(at)}`, room);
  return [`${head}${first}`, ...rest.map((more) => `${below}${more}`)];
}

const wrapText = (text: string, width: number): string[] => text.split("\n").flatMap((line) => wrapLine(line, width));

/** Some lines, each cut or broken to the width. */
class Block implements Component {
  text = "";
  readonly #cut: boolean;
  readonly #rows: number;

  constructor(cut: boolean, rows: number) {
    this.#cut = cut;
    this.#rows = rows;
  }

  render(width: number): string[] {
    if (this.text === "") return [];
    const lines = this.text.split("\n").flatMap((line) => (this.#cut ? [truncateToWidth(line, width)] : wrapLine(line, width)));
    return lines.slice(-this.#rows);
  }

  invalidate(): void {
    // Nothing is kept between frames.
  }
}

/** What lives for long: drawn for the room there is. */
class Region implements Component {
  draw: Draw | undefined;
  readonly #terminal: Terminal;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  render(width: number): string[] {
    return (this.draw?.(roomOf(width, this.#terminal.rows)) ?? []).map((line) => truncateToWidth(line, width));
  }

  invalidate(): void {
    // Nothing is kept between frames.
  }
}

/** Finished lines of a screen that scrolls by itself: broken once for each width, the oldest dropped. */
class Transcript implements Component {
  readonly #texts: string[] = [];
  #lines: string[] = [];
  #width = 0;

  add(text: string): void {
    this.#texts.push(text);
    if (this.#width > 0) this.#lines.push(...wrapText(text, this.#width));
    if (this.#texts.length > KEPT_TEXTS) {
      this.#texts.splice(0, this.#texts.length - KEPT_TEXTS / 2);
      this.#width = 0;
    }
  }

  clear(): void {
    this.#texts.length = 0;
    this.#lines = [];
  }

  render(width: number): string[] {
    if (width !== this.#width) {
      this.#width = width;
      this.#lines = this.#texts.flatMap((text) => wrapText(text, width));
    }
    return this.#lines;
  }

  invalidate(): void {
    this.#width = 0;
  }
}

type Suggest = CombinedAutocompleteProvider["getSuggestions"];

/** Names of files and words of others: what would speak to the terminal is not offered, and is a mark where it is only told. */
class PlainCompletions extends CombinedAutocompleteProvider {
  readonly #roles: readonly SlashWord[];

  constructor(words: readonly SlashWord[], roles: readonly SlashWord[], folder: string) {
    super([...words], folder);
    this.#roles = roles;
  }

  override async getSuggestions(...where: Parameters<Suggest>): ReturnType<Suggest> {
    const [lines, row, column, options] = where;
    const before = (lines[row] ?? "").slice(0, column);
    const at = /(?:^|\s)@(?<typed>[^\s"@]*)$/u.exec(before)?.groups?.["typed"];
    const begun = /(?:^|\s)@(?<typed>"[^"]*)$/u.exec(before)?.groups?.["typed"];
    if (begun !== undefined) return this.#insideQuotes(begun, options);
    const found =
      at === undefined ? await super.getSuggestions(...where) : await this.#behindAt(at, row === 0 && before === `@${at}`, options);
    const items = found?.items
      .filter(({ value }) => visibleLine(value) === value)
      .map((item) => ({
        ...item,
        label: visibleLine(item.label),
        ...(item.description === undefined ? {} : { description: visibleLine(item.description) }),
      }));
    return found === null || items === undefined || items.length === 0 ? null : { ...found, items };
  }

  /** A name that was begun with a quotation mark ends with one. */
  async #insideQuotes(typed: string, options: Parameters<Suggest>[3]): ReturnType<Suggest> {
    const files = await super.getSuggestions([typed], 0, typed.length, { ...options, force: true });
    const items = (files?.items ?? [])
      .filter(({ value }) => visibleLine(value) === value)
      .map((item) => ({
        ...item,
        value: item.value.startsWith('"') ? `@${item.value}` : `@"${item.value}"`,
        label: visibleLine(item.label),
      }));
    return items.length === 0 ? null : { prefix: `@${typed}`, items };
  }

  /** Files; and who can be asked by name, where a name would be read as one. */
  async #behindAt(typed: string, isFirst: boolean, options: Parameters<Suggest>[3]): ReturnType<Suggest> {
    const files = await super.getSuggestions([typed], 0, typed.length, { ...options, force: true });
    const roles = isFirst ? this.#roles.filter(({ name }) => name.startsWith(typed)) : [];
    return {
      prefix: `@${typed}`,
      items: [
        ...roles.map(({ name, description }) => ({ value: `@${name}`, label: name, description })),
        ...(files?.items ?? []).map((item) => ({ ...item, value: `@${item.value}` })),
      ],
    };
  }
}

/** Where finished lines go, and what lives below them. */
interface Renderer {
  readonly tui: TUI;
  print(text: string, running: boolean): void;
  clear(running: boolean): void;
}

function onMainScreen(terminal: Terminal, living: Container): Renderer {
  const tui = new TuiMainScreen(terminal, true);
  tui.addChild(living);
  const above = (text: string, running: boolean): void => {
    const { hardwareCursorRow, previousViewportTop } = tui.captureRenderState();
    const up = Math.max(0, hardwareCursorRow - previousViewportTop);
    const home = running ? `\u001b[?2026h${up > 0 ? `\u001b[${up}A` : ""}\r\u001b[J` : "";
    terminal.write(`${home}${text}${running ? "\u001b[?2026l" : ""}`);
    tui.restoreRenderState({ ...FRESH });
    if (running) tui.renderNow();
  };
  return {
    tui,
    print: (text, running) => above(`${wrapText(text, terminal.columns).join("\r\n")}\r\n`, running),
    clear: (running) => above("\u001b[2J\u001b[H", running),
  };
}

function onItsOwnScreen(terminal: Terminal, living: Container, look: ScreenLook): Renderer {
  const said = new Transcript();
  const tui = new TuiAltScreen(terminal, true, undefined, { scrollToEndIndicator: () => look.strong(" ↓ to the end ") });
  const past = new ScrollView(said, { follow: "end", primary: true });
  tui.setLayoutRoot(
    new VStack([
      { component: past, basis: 0, grow: 1, minSize: 1 },
      { component: living, basis: "auto", shrink: 1, minSize: 1 },
    ]),
  );
  return {
    tui,
    print(text) {
      said.add(text);
      tui.requestRender();
    },
    clear() {
      said.clear();
      tui.requestRender();
    },
  };
}

/** What comes back with the arrow can be gone on with at its end; the toolkit leaves the cursor before it. */
class LineEditor extends Editor {
  override handleInput(data: string): void {
    const before = this.getText();
    super.handleInput(data);
    if (!matchesKey(data, "up") || this.getText() === before) return;
    const last = this.getLines().length - 1;
    while (this.getCursor().line < last) super.handleInput(TO.nextPage);
    super.handleInput(TO.lineEnd);
  }
}

/** An input that shows how much was typed, not what, unless that is nothing secret. */
class HiddenInput extends Input {
  shows: (typed: string) => boolean = () => false;

  override render(width: number): string[] {
    if (this.shows(this.getValue())) return super.render(width);
    return [`> ${"•".repeat(Math.min(this.getValue().length, Math.max(1, width - 4)))}`];
  }
}

export class Screen {
  readonly #renderer: Renderer;
  readonly #living = new Container();
  readonly #live = new Block(true, LIVE_ROWS);
  readonly #question = new Block(false, QUESTION_ROWS);
  readonly #status = new Block(true, 2);
  readonly #region: Region;
  readonly #editor: Editor;
  readonly #list: SelectListTheme;
  readonly #look: ScreenLook;
  #asking: Component | undefined;
  readonly #said: string[] = [];
  #lastAsked: Promise<void> = Promise.resolve();
  #running = false;

  constructor(terminal: Terminal, kind: ScreenKind, look: ScreenLook, keys: ScreenKeys) {
    this.#look = look;
    this.#region = new Region(terminal);
    this.#list = {
      selectedPrefix: look.accent,
      selectedText: look.accent,
      description: look.dim,
      scrollInfo: look.dim,
      noMatch: look.dim,
    };
    this.#renderer = kind === "full" ? onItsOwnScreen(terminal, this.#living, look) : onMainScreen(terminal, this.#living);
    const theme: EditorTheme = { borderColor: look.dim, selectList: this.#list };
    this.#editor = new LineEditor(this.#tui, theme);
    this.#editor.onSubmit = (text) => {
      if (text.trim() === "") return;
      this.remember([text]);
      keys.submit(text);
    };
    for (const part of [this.#region, this.#live, this.#question, this.#editor, this.#status]) this.#living.addChild(part);
    this.#tui.setFocus(this.#editor);
    this.#tui.addInputListener((data) => {
      if (matchesKey(data, "ctrl+c")) {
        if (this.#editor.getText() === "" || this.#asking !== undefined) keys.interrupt();
        else this.#editor.setText("");
        this.#tui.requestRender();
        return { consume: true };
      }
      if (this.#asking === undefined && matchesKey(data, "ctrl+r")) {
        void this.#search();
        return { consume: true };
      }
      if (this.#asking === undefined && matchesKey(data, "shift+tab")) {
        keys.cycle();
        return { consume: true };
      }
      if (this.#asking === undefined && matchesKey(data, "escape") && !this.#editor.isShowingAutocomplete())
        if (keys.escape(this.#editor.getText() !== "")) return { consume: true };
      // The toolkit draws these as they are, and a terminal obeys them; no key has one.
      return { data: data.replaceAll(/[\u0080-\u009f]/gu, "") };
    });
  }

  get #tui(): TUI {
    return this.#renderer.tui;
  }

  get columns(): number {
    return this.#tui.terminal.columns;
  }

  /** What stands in the input and was not sent. */
  typed(): string {
    return this.#editor.getText();
  }

  type(text: string): void {
    this.#editor.setText(visibleWords(text));
  }

  /** What was said earlier, oldest first: arrows go through it, Ctrl+R searches in it. Some of it was piped in, and is anybody's. */
  remember(texts: readonly string[]): void {
    for (const text of texts.map(visibleWords)) {
      this.#editor.addToHistory(text);
      this.#said.push(text);
    }
  }

  /** Whatever has the letters in it, newest first; what is chosen stands in the input and is not sent. */
  async #search(): Promise<void> {
    const all = [...new Set(this.#said.toReversed())].map((text) => ({ value: text, label: visibleLine(text) }));
    let typed = "";
    let found = new SelectList(all, QUESTION_ROWS, this.#list);
    let done: (value: string | undefined) => void = () => undefined;
    const wire = (): void => {
      found.onSelect = ({ value }) => done(value);
      found.onCancel = () => done(undefined);
    };
    const part: Component = {
      render: (width) => [truncateToWidth(`search: ${typed}`, width), ...found.render(width)],
      invalidate: () => found.invalidate(),
      handleInput: (data) => {
        if (/^\P{C}$/u.test(data)) typed += data;
        else if (matchesKey(data, "backspace")) typed = typed.slice(0, -1);
        else return found.handleInput(matchesKey(data, "ctrl+r") ? "\u001b[B" : data);
        const some = all.filter(({ label }) => label.toLowerCase().includes(typed.toLowerCase()));
        found = new SelectList(some, QUESTION_ROWS, this.#list);
        wire();
      },
    };
    const picked = await this.#ask("What did you say?", part, undefined, (resolve) => {
      done = resolve;
      wire();
    });
    if (picked !== undefined) this.#editor.setText(picked);
  }

  /** What a slash and an at sign complete to. */
  complete(words: readonly SlashWord[], roles: readonly SlashWord[], folder: string): void {
    this.#editor.setAutocompleteProvider(new PlainCompletions(words, roles, folder));
  }

  start(): void {
    this.#running = true;
    this.#tui.start();
    // Not when the toolkit finds time for it: until the rest of the house is read there is none.
    this.#tui.renderNow();
  }

  stop(): void {
    if (!this.#running) return;
    this.#running = false;
    this.#region.draw = undefined;
    for (const part of [this.#live, this.#question, this.#status]) part.text = "";
    this.#living.removeChild(this.#editor);
    this.#tui.renderNow();
    this.#tui.stop();
  }

  /** Above what lives, for good. */
  print(text: string): void {
    this.#renderer.print(text, this.#running);
  }

  /** Nothing but what lives. */
  clear(): void {
    this.#renderer.clear(this.#running);
  }

  /** What happens now; empty for nothing. */
  live(text: string): void {
    if (this.#live.text === text) return;
    this.#live.text = text === "" ? "" : this.#look.dim(text);
    this.#tui.requestRender();
  }

  region(draw: Draw | undefined): void {
    this.#region.draw = draw;
    this.#tui.requestRender();
  }

  status(text: string): void {
    this.#status.text = this.#look.dim(visibleText(text));
    this.#tui.requestRender();
  }

  title(text: string): void {
    this.#tui.terminal.setTitle(text);
  }

  ring(): void {
    this.#tui.terminal.write("\u0007");
  }

  notify(text: string): void {
    this.#tui.terminal.write(desktopNote(text));
  }

  /** Undefined is Escape, Ctrl+C, or that it is no longer asked. */
  choose(message: string, options: readonly Option[], cursor: Cursor, signal: AbortSignal | undefined): Promise<string | undefined> {
    // Whoever was writing did not see it coming: their Enter says nothing they did not mean.
    const stands = this.typed() === "" ? cursor : { ...cursor, initial: cursor.unknown };
    const items = options.map(({ value, label, hint }) => ({ value, label, ...(hint === undefined ? {} : { description: hint }) }));
    const list = new SelectList(items, QUESTION_ROWS, this.#list);
    list.setSelectedIndex(stands.initial);
    let typed = "";
    let done: (value: string | undefined) => void = () => undefined;
    const typing: Component = {
      render: (width) => list.render(width),
      invalidate: () => list.invalidate(),
      handleInput(data) {
        const tab = options.find(({ value }) => value === list.getSelectedItem()?.value)?.tab;
        if (matchesKey(data, "tab")) return tab === undefined ? undefined : done(tab);
        if (/^\P{C}$/u.test(data)) typed += data;
        else if (matchesKey(data, "backspace")) typed = typed.slice(0, -1);
        else return list.handleInput(data);
        list.setSelectedIndex(pointedAt(typed, options, stands));
      },
    };
    return this.#ask(message, typing, signal, (resolve) => {
      done = resolve;
      list.onSelect = ({ value }) => done(value);
      list.onCancel = () => done(undefined);
    });
  }

  async read(
    message: string,
    how: { shows?: ((typed: string) => boolean) | undefined; placeholder?: string | undefined; initial?: string | undefined },
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    const options = how.placeholder === undefined ? {} : { placeholder: how.placeholder, placeholderStyle: this.#look.dim };
    const input = how.shows === undefined ? new Input(options) : new HiddenInput(options);
    if (how.shows !== undefined && input instanceof HiddenInput) input.shows = how.shows;
    if (how.initial !== undefined) input.setValue(how.initial);
    return this.#ask(message, input, signal, (done) => {
      input.onSubmit = (value) => done(value);
      input.onEscape = () => done(undefined);
    });
  }

  async #ask(
    message: string,
    part: Component,
    signal: AbortSignal | undefined,
    wire: (done: (value: string | undefined) => void) => void,
  ): Promise<string | undefined> {
    // One after the other: two who ask at the same time share one place.
    const before = this.#lastAsked;
    const over = Promise.withResolvers<void>();
    this.#lastAsked = over.promise;
    await before;
    try {
      return signal?.aborted === true ? undefined : await this.#askNow(message, part, signal, wire);
    } finally {
      over.resolve();
    }
  }

  async #askNow(
    message: string,
    part: Component,
    signal: AbortSignal | undefined,
    wire: (done: (value: string | undefined) => void) => void,
  ): Promise<string | undefined> {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const stop = (): void => resolve(undefined);
    wire(resolve);
    this.#asking = part;
    this.#question.text = this.#look.strong(message);
    this.#swap(this.#editor, part);
    signal?.addEventListener("abort", stop, { once: true });
    const off = this.#tui.addInputListener((data) => {
      if (matchesKey(data, "ctrl+c")) stop();
      return undefined;
    });
    try {
      return await promise;
    } finally {
      off();
      signal?.removeEventListener("abort", stop);
      this.#asking = undefined;
      this.#question.text = "";
      this.#swap(part, this.#editor);
    }
  }

  /** One stands where the other stood, and has the keys. */
  #swap(from: Component, to: Component): void {
    const at = this.#living.children.indexOf(from);
    must(this.#living.children[at]);
    this.#living.children[at] = to;
    this.#tui.setFocus(to);
    this.#tui.requestRender();
  }
}
