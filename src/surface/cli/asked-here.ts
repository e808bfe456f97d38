/** Questions that stand before whoever is at this process's terminal: what is shown beside them does not name them again. */
const asked = new Set<string>();

export function nowAsked(question: string): Disposable {
  asked.add(question);
  return { [Symbol.dispose]: () => void asked.delete(question) };
}

export const isAskedHere = (question: string): boolean => asked.has(question);
