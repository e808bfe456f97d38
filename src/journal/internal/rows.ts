/** Rows of a database, read once: a column that is not of its kind is told where it is read, not where it is used. */
interface Kinds {
  number: number;
  text: string;
  bytes: Uint8Array;
  "number?": number | null;
  "text?": string | null;
  "bytes?": Uint8Array | null;
}

/** Which columns a row has, and of which kind. */
export type RowShape = Readonly<Record<string, keyof Kinds>>;

export type RowOf<S extends RowShape> = { [Column in keyof S]: Kinds[S[Column]] };

function fits(value: unknown, kind: keyof Kinds): boolean {
  switch (kind) {
    case "number":
      return typeof value === "number";
    case "text":
      return typeof value === "string";
    case "bytes":
      return value instanceof Uint8Array;
    case "number?":
      return value === null || typeof value === "number";
    case "text?":
      return value === null || typeof value === "string";
    case "bytes?":
      return value === null || value instanceof Uint8Array;
  }
}

/** The rows a statement gave. */
export function rowsOf<const S extends RowShape>(rows: readonly unknown[], shape: S): RowOf<S>[] {
  const columns = Object.entries(shape);
  for (const row of rows) {
    for (const [column, kind] of columns) {
      const value: unknown = Reflect.get(Object(row), column);
      if (!fits(value, kind)) throw new Error(`column ${column} holds ${value === null ? "nothing" : typeof value}, not ${kind}`);
    }
  }
  return rows as RowOf<S>[];
}

/** The row a statement gave, if there is one. */
export function rowOf<const S extends RowShape>(row: unknown, shape: S): RowOf<S> | undefined {
  return row === undefined ? undefined : rowsOf([row], shape)[0];
}
