/** The one id a user meant by its beginning or its end; the beginning may leave the prefix out. */
export type IdMatch = { kind: "one"; id: string } | { kind: "none" } | { kind: "several"; ids: string[] };

/** Characters of an id's random end that people are shown. */
const SHORT_ID_CHARS = 8;
const WHOLE_ID = /\b[a-z]+_[0-9a-hjkmnp-tv-z]{26}\b/g;

function match(given: string, ids: readonly string[]): IdMatch {
  if (ids.includes(given)) return { kind: "one", id: given };
  const found =
    given === "" ? [] : ids.filter((id) => id.startsWith(given) || id.endsWith(given) || id.slice(id.indexOf("_") + 1).startsWith(given));
  const [first] = found;
  if (first === undefined) return { kind: "none" };
  return found.length === 1 ? { kind: "one", id: first } : { kind: "several", ids: found };
}

/** A text for people: every whole id in it as its end. */
function shorten(text: string): string {
  return text.replaceAll(WHOLE_ID, (id) => id.slice(-SHORT_ID_CHARS));
}

export const shortIds = { match, shorten } as const;
