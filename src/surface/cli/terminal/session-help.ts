/** What `/help` tells: the keys, then the words, below the headings that `sylk help` has. */
import { COMMANDS } from "../command-table.ts";
import { visibleLine } from "../visible-text.ts";
import { ALL_WORDS } from "./session-words.ts";

const KEYS: readonly [string, string][] = [
  ["Enter", "says it"],
  ["Shift+Enter", "another line; Ctrl+J too"],
  ["@", "a file; as the first word, a role"],
  ["!", "a line for your own shell"],
  ["Tab", "completes words and paths"],
  ["Shift+Tab", "what may be done without asking, from the next sentence on"],
  ["Esc", "stops what runs"],
  ["Esc Esc", "back to a step of the last task"],
  ["Ctrl+R", "searches in what you said before"],
  ["Ctrl+C twice", "leaves"],
];

interface Word {
  name: string;
  description: string;
}

const row = (name: string, description: string): string => `  ${name.padEnd(13)} ${visibleLine(description)}`;

/** `written`: words people wrote down themselves. */
export function helpText(written: readonly Word[], heading: (text: string) => string): string {
  const part = (title: string, rows: readonly string[]): string[] => (rows.length === 0 ? [] : [heading(title), ...rows, ""]);
  const slash = ({ name, description }: Word): string => row(`/${name}`, description);
  const groups = [...new Set(COMMANDS.map(({ group }) => group))];
  return [
    ...part(
      "Keys:",
      KEYS.map(([key, does]) => row(key, does)),
    ),
    ...groups.flatMap((group) => part(group, ALL_WORDS.filter((word) => groupOf(word.command) === group).map(slash))),
    ...part("Your own words:", written.map(slash)),
  ]
    .join("\n")
    .trimEnd();
}

const groupOf = (command: string): string | undefined => COMMANDS.find(({ name }) => name === command)?.group;
