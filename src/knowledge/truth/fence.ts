/** What looks like our fence, or like a role marker, loses its meaning: quoted text stays data. */
const MARK =
  /<[\s\p{Cf}]*\/?[\s\p{Cf}]*(?:source|candidate|question|system|assistant|user|instructions?)(?![\p{L}\p{N}_])[^<>]{0,200}>?/giu;

export function fence(text: string): string {
  return text.replaceAll(MARK, (mark) => mark.replaceAll("<", "‹").replaceAll(">", "›"));
}

/** The same for what stands outside a fence, in a line of ours. */
export function fenceLine(text: string): string {
  return fence(text).replaceAll(/\s+/gu, " ").trim();
}
