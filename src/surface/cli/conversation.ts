/** What was said in a session so far: requests and tasks by id, oldest first, as many as the next one is told of. */
const KEPT = 6;

export class Conversation {
  #ids: readonly string[] = [];

  before(): string[] {
    return [...this.#ids];
  }

  /** From here on it is what was spoken of last; `before`: what had been said before it, where it is of an earlier session. */
  goesOn(id: string, before: readonly string[] = []): void {
    const known = [...before, ...this.#ids.filter((one) => !before.includes(one))];
    this.#ids = [...known.filter((one) => one !== id), id].slice(-KEPT);
  }
}
