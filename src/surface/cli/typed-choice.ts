/**
 * At a list of choices, typed letters point at one: by its value, by how its label begins, or by another word for it.
 * What fits nothing points at the no where there is one, so that a word nobody knows never allows anything.
 */
import type { Key } from "node:readline";

export interface Choice<T> {
  value: T;
  label: string;
  hint?: string | undefined;
  /** Other words that may be typed for it. */
  also?: readonly string[] | undefined;
  /** What Tab chooses here instead of Enter. */
  tab?: T | undefined;
}

/** Where the cursor stands in a list: at first, and for words that fit nothing in it. */
export interface Cursor {
  initial: number;
  unknown: number;
}

export function cursorOf<T>(options: readonly Choice<T>[], given: { initial?: T | undefined; unknown?: T | undefined }): Cursor {
  const at = (wanted: T | undefined): number => options.findIndex(({ value }) => value === wanted);
  const initial = Math.max(0, at(given.initial));
  return { initial, unknown: given.unknown === undefined ? initial : Math.max(0, at(given.unknown)) };
}

/** The choice the typed text points at. */
export function pointedAt(typed: string, options: readonly Choice<string>[], { initial, unknown }: Cursor): number {
  const text = typed.trim().toLowerCase();
  if (text === "") return initial;
  const fits = ({ value, label, also = [] }: Choice<string>): boolean =>
    [value, label, ...also].some((word) => word.toLowerCase().startsWith(text));
  const at = options.findIndex(fits);
  return at === -1 ? unknown : at;
}

const STEPS: Readonly<Record<string, number>> = { up: -1, left: -1, down: 1, right: 1 };

export interface Typing<T> extends Disposable {
  /** What was chosen with Tab, where it was. */
  readonly tabbed: T | undefined;
}

/** Moves the cursor of the list that is open on `input` to what is typed, until disposed. */
export function followTyping<T extends string>(input: NodeJS.EventEmitter, options: readonly Choice<T>[], stands: Cursor): Typing<T> {
  let tabbed: T | undefined;
  let typed = "";
  let cursor = stands.initial;
  let moving = false;
  const move = (to: number): void => {
    const name = to < cursor ? "up" : "down";
    moving = true;
    for (let left = Math.abs(to - cursor); left > 0; left -= 1) input.emit("keypress", undefined, { name });
    moving = false;
  };
  const pressed = (text: string | undefined, { name, ctrl, meta }: Key): void => {
    const step = STEPS[name ?? ""];
    if (step !== undefined) {
      cursor = (cursor + step + options.length) % options.length;
      if (!moving) typed = "";
      return;
    }
    if (name === "tab") {
      tabbed = options[cursor]?.tab;
      if (tabbed !== undefined) input.emit("keypress", "\r", { name: "return" });
      return;
    }
    if (name === "backspace") typed = typed.slice(0, -1);
    else if (text !== undefined && text >= " " && ctrl !== true && meta !== true) typed += text;
    else return;
    move(pointedAt(typed, options, stands));
  };
  input.on("keypress", pressed);
  return {
    get tabbed() {
      return tabbed;
    },
    [Symbol.dispose]: () => void input.off("keypress", pressed),
  };
}
