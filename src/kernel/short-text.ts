/** Texts made to fit a line. A character is never cut in half. */

export function oneLine(text: string, maxChars = Infinity): string {
  return shorten(text.replaceAll(/\s+/g, " ").trim(), maxChars);
}

/** What somebody wrote, by its first paragraph: what stands below is what it speaks of. */
export const title = (text: string, maxChars = Infinity): string => oneLine(text.trim().split(/\n\s*\n/u, 1)[0] ?? "", maxChars);

/** At most `maxChars` UTF-16 units, the last one an ellipsis when something was left out. */
export function shorten(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const cut = Math.max(0, maxChars - 1);
  const splitsPair = /[\uD800-\uDBFF]/.test(text.charAt(cut - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(cut));
  return `${text.slice(0, splitsPair ? cut - 1 : cut)}…`;
}
