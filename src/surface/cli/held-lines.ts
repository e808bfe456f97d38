/**
 * While a question stands on the terminal, what others say waits until it is answered: lines written between its own
 * would leave two halves of it, and nobody could tell which answer the cursor stands at.
 */
export interface Held {
  /** Takes away what is drawn below what was said. */
  clear(): void;
  /** Draws it again. */
  draw(): void;
}

const doors = new Set<Held>();
const waiting: (() => void)[] = [];
let open = 0;

export const isHeld = (): boolean => open > 0;

export function holdsLines(door: Held): void {
  doors.add(door);
}

/** Says it now, or in its turn once the question is gone. */
export function sayInTurn(say: () => void): void {
  if (isHeld()) waiting.push(say);
  else say();
}

export function holdLines(): Disposable {
  if (!isHeld()) for (const door of doors) door.clear();
  open += 1;
  return {
    [Symbol.dispose]() {
      open -= 1;
      if (isHeld()) return;
      for (const say of waiting.splice(0)) say();
      for (const door of doors) door.draw();
    },
  };
}
