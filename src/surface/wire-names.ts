/** Names on the wire are snake_case, whatever they are called in code. What is not ours to name goes `asIs`. */

class AsIs {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

/** Data whose names others chose: events as they are stored, values of settings, schemas. */
export function asIs(value: unknown): unknown {
  return new AsIs(value);
}

const CODE_NAME = /^[a-z][a-z0-9]*([A-Z][a-zA-Z0-9]*)+$/u;

function snake(name: string): string {
  return CODE_NAME.test(name) ? name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`) : name;
}

export function wireNames(value: unknown): unknown {
  if (value instanceof AsIs) return value.value;
  if (Array.isArray(value)) return value.map(wireNames);
  if (typeof value !== "object" || value === null) return value;
  if ("toJSON" in value && typeof value.toJSON === "function") return wireNames((value.toJSON as () => unknown).call(value));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [snake(name), wireNames(inner)]));
}
