/**
 * A change for whoever judges it, within bounds. Room goes first to what the change is about, then to tests, last to what
 * a tool wrote; among equals it is shared, so that a small file is whole before a long one takes more than its part.
 */
import { diffText } from "./brief.ts";
import { isTestFile } from "./test-files.ts";

/** Written by package managers; nobody reads them. */
const LOCK = /(?:^|\/)(?:[^/]*\.lockb?|package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum)$/u;
/** A file of which there is room for less is only named. */
const LEAST = 200;
const MOST_NAMED = 20;

interface FilePart {
  file: string;
  rank: number;
  text: string;
}

/** Of a file that is new these say nothing more. */
const KNOWN_OF_NEW = /^(?:--- \/dev\/null|\+\+\+ "?b\/.*|@@ -0,0 .* @@)\n/gmu;

function partOf(text: string): FilePart {
  const file = /^diff --git "?a\/.* "?b\/(.*?)"?$/mu.exec(text)?.[1] ?? "";
  const body = text.search(/^(?:@@|Binary) /mu);
  const head = body === -1 ? text : text.slice(0, text.indexOf("\n", body) + 1);
  const isNew = /^new file mode /mu.test(head);
  const rank = LOCK.test(file) ? 3 : isTestFile(file) ? (isNew ? 2 : 1) : 0;
  const bare = head.replace(/^index [\da-f]+\.\..*\n/mu, "");
  const short = isNew ? bare.replaceAll(KNOWN_OF_NEW, "") : bare;
  const whole = `${short}${text.slice(head.length)}`;
  return { file, rank, text: whole.endsWith("\n") ? whole : `${whole}\n` };
}

/** How much of each there is room for: whoever needs less than its share leaves the rest to the others. */
function shared(needs: readonly number[], room: number): number[] {
  const given = new Map<number, number>();
  let left = room;
  const bySize = needs.map((need, at) => ({ need, at })).toSorted((a, b) => a.need - b.need);
  bySize.forEach(({ need, at }, index) => {
    const take = Math.min(need, Math.floor(left / (bySize.length - index)));
    given.set(at, take);
    left -= take;
  });
  return needs.map((_need, at) => given.get(at) ?? 0);
}

/** The beginning of a file's part, up to the end of a line. */
function beginning({ file, text }: FilePart, room: number): string {
  if (text.length <= room) return text;
  const shown = text.slice(0, text.lastIndexOf("\n", room) + 1);
  return `${shown}… ${text.slice(shown.length).split("\n").length - 1} lines more in ${file}\n`;
}

function namesOf(files: readonly string[]): string {
  const more = files.length - MOST_NAMED;
  return `${files.slice(0, MOST_NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

export function reviewText({ text, truncated }: { text: string; truncated: boolean }, chars: number): string {
  const parts = text.split(/^(?=diff --git )/mu).map(partOf);
  let left = chars;
  const shown: string[] = [];
  const onlyNamed: string[] = [];
  for (const rank of [0, 1, 2, 3]) {
    const same = parts.filter((part) => part.rank === rank);
    const given = shared(
      same.map((part) => part.text.length),
      left,
    );
    for (const [index, part] of same.entries()) {
      const room = given[index] ?? 0;
      left -= room;
      if (room < Math.min(LEAST, part.text.length)) onlyNamed.push(part.file);
      else shown.push(beginning(part, room));
    }
  }
  const named = onlyNamed.length === 0 ? "" : `Changed too, and not shown: ${namesOf(onlyNamed)}\n`;
  return diffText({ text: `${shown.join("")}${named}`, truncated: truncated || text.length > chars });
}
