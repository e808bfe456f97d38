/** What looks like our fence, or like a role marker, loses its meaning: quoted text stays data. */
export function fence(text: string): string {
  return text.replaceAll(/<\/?(?:source|candidate|question|system|assistant|user|instructions?)\b[^>]*>/giu, (mark) =>
    mark.replaceAll("<", "‹").replaceAll(">", "›"),
  );
}
