/** What people are told and what they typed, in words for them. */
import { nearestWord } from "./nearest-word.ts";
import { plainIssues } from "./plain-issues.ts";
import { oneLine, shorten } from "./short-text.ts";

export const wording = { oneLine, shorten, issues: plainIssues, nearest: nearestWord } as const;
