/** A part that comes into being, and is loaded, when something first needs it. */
export interface Once<T> {
  readonly get: () => Promise<T>;
  /** Undefined when nobody needed it, or it could not be made. */
  readonly made: () => Promise<T | undefined>;
}

export function once<T>(make: () => Promise<T>): Once<T> {
  let made: Promise<T> | undefined;
  return {
    get: () => (made ??= make()),
    made: async () => made?.catch(() => undefined),
  };
}
