/** The lines of a text as editors and `wc` count them: a line end closes a line, it does not begin another. */
export function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
