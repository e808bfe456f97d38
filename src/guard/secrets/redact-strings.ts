/** Every text inside a plain value, redacted; its shape stays. */
export function redactStrings<T>(value: T, redact: (text: string) => string): T {
  return inside(value, redact) as T;
}

function inside(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((item) => inside(item, redact));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inside(item, redact)]));
}
