/** Names on the wire are snake_case, whatever they are called in code. Keys that are data stay as they are. */
type Capital =
  | "A"
  | "B"
  | "C"
  | "D"
  | "E"
  | "F"
  | "G"
  | "H"
  | "I"
  | "J"
  | "K"
  | "L"
  | "M"
  | "N"
  | "O"
  | "P"
  | "Q"
  | "R"
  | "S"
  | "T"
  | "U"
  | "V"
  | "W"
  | "X"
  | "Y"
  | "Z";
type Snake<S extends string> = S extends `${infer Head}${infer Tail}`
  ? `${Head extends Capital ? `_${Lowercase<Head>}` : Head}${Snake<Tail>}`
  : S;

export type Wire<T> = T extends readonly (infer Item)[]
  ? Wire<Item>[]
  : T extends object
    ? string extends keyof T
      ? { [Key in keyof T]: Wire<T[Key]> }
      : { -readonly [Key in keyof T as Key extends string ? Snake<Key> : never]: Wire<T[Key]> }
    : T;

const CODE_NAME = /^[a-z][a-z0-9]*([A-Z][a-zA-Z0-9]*)+$/u;

const snake = (name: string): string => (CODE_NAME.test(name) ? name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`) : name);

export function wire<T>(value: T): Wire<T> {
  const named = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(named);
    if (typeof inner !== "object" || inner === null) return inner;
    return Object.fromEntries(Object.entries(inner).map(([name, part]) => [snake(name), named(part)]));
  };
  return named(value) as Wire<T>;
}
