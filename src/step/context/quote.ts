/** Text from outside stays data: nothing in it closes its fence or opens a section of ours. */

/** Between fences longer than any row of backticks inside. */
export function quote(body: string, language = ""): string {
  const longest = (body.includes("```") ? (body.match(/`{3,}/g) ?? []) : []).reduce((most, row) => Math.max(most, row.length), 2);
  const marks = "`".repeat(longest + 1);
  return `${marks}${language}\n${body}\n${marks}`;
}

/** A line that looks like one of our headings is set in; as a comment in code it still is one. */
export function withoutHeadings(text: string): string {
  return text.includes("#") ? text.replaceAll(/^#(?=\s)/gmu, "    #") : text;
}
