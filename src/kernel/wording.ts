/** What people are told and what they typed, in words for them. */
import { nearestWord } from "./nearest-word.ts";
import { plainIssues } from "./plain-issues.ts";
import { oneLine, shorten, title } from "./short-text.ts";

/** One word of a shell, whatever it says: what is offered to be typed may hold somebody else's text. */
const shellWord = (text: string): string => (/^[\w./:@=,+-]+$/u.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

export const wording = { oneLine, title, shorten, shellWord, issues: plainIssues, nearest: nearestWord } as const;
