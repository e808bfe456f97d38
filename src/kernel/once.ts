/** A part that comes into being when something first needs it. What could not be made is tried again the next time. */
export interface Once<T> {
  readonly get: () => Promise<T>;
  /** Undefined when nobody needed it, or it could not be made. */
  readonly made: () => Promise<T | undefined>;
}

export function once<T>(make: () => Promise<T>): Once<T> {
  let made: Promise<T> | undefined;
  return {
    get: () =>
      (made ??= make().catch((error: unknown) => {
        made = undefined;
        throw error;
      })),
    made: async () => made?.catch(() => undefined),
  };
}
