/** Dates a question names: a day, a month, a year, or a time counted back from the newest entry. */
export interface TimeSpan {
  from: number;
  to: number;
}

const MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"];
const MONTH = `(?<month>${MONTHS.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)})?`).join("|")})`;
const DAY_MS = 86_400_000;

function monthOf(text: string): number {
  return MONTHS.findIndex((name) => name.startsWith(text.toLowerCase().slice(0, 3)));
}

function day(year: number, month: number, date: number): TimeSpan {
  const from = Date.UTC(year, month, date);
  return { from, to: from + DAY_MS };
}

/** Whole months; `may` counts only with a year, a day or a capital. */
export function readDates(text: string, newest: number | undefined): TimeSpan[] {
  const spans: TimeSpan[] = [];
  const year = newest === undefined ? undefined : new Date(newest).getUTCFullYear();
  for (const match of text.matchAll(/\b(\d{4})-(\d{2})-(\d{2})\b/gu))
    spans.push(day(Number(match[1]), Number(match[2]) - 1, Number(match[3])));
  const written = new RegExp(
    `(?:\\b(?<d1>\\d{1,2})(?:st|nd|rd|th)?\\s+(?:of\\s+)?)?\\b${MONTH}\\b\\.?(?:\\s+(?<d2>\\d{1,2})(?:st|nd|rd|th)?\\b)?(?:,?\\s+(?<year>\\d{4}))?`,
    "giu",
  );
  for (const match of text.matchAll(written)) {
    const groups = match.groups as Record<string, string | undefined>;
    const month = groups["month"] as string;
    const date = groups["d1"] ?? groups["d2"];
    const ofYear = groups["year"] === undefined ? year : Number(groups["year"]);
    if (
      ofYear === undefined ||
      (/^may$|^mar(?:ch)?$/iu.test(month) && !/^[A-Z]/u.test(month) && date === undefined && groups["year"] === undefined)
    )
      continue;
    if (date !== undefined) spans.push(day(ofYear, monthOf(month), Number(date)));
    else spans.push({ from: Date.UTC(ofYear, monthOf(month), 1), to: Date.UTC(ofYear, monthOf(month) + 1, 1) });
  }
  if (spans.length === 0)
    for (const match of text.matchAll(/\b(?:in|of|during|since)\s+((?:19|20)\d{2})\b/giu))
      spans.push({ from: Date.UTC(Number(match[1]), 0, 1), to: Date.UTC(Number(match[1]) + 1, 0, 1) });
  if (newest !== undefined) {
    for (const match of text.matchAll(/\b(?:last|past)\s+(?:(\d+)\s+)?(day|week|month|year)s?\b|\b(yesterday|today)\b/giu)) {
      const unit = { day: 1, week: 7, month: 31, year: 366 }[match[2]?.toLowerCase() ?? "day"] ?? 1;
      spans.push({
        from: newest - unit * Number(match[1] ?? (match[3]?.toLowerCase() === "yesterday" ? 2 : 1)) * DAY_MS,
        to: newest + DAY_MS,
      });
    }
  }
  return spans;
}
