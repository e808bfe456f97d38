/** A project of any size: modules that import each other, with words of their own. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { HistoryEntry } from "../../src/knowledge/store/history-writer.ts";

const NOUNS =
  "account address basket booking budget cache campaign carrier catalogue channel cheque claim client contract coupon currency customer delivery deposit device discount document driver estimate event export feature filter forecast gateway group holiday import index invoice item journey key label ledger letter licence limit list location log machine market matrix meeting member merchant message meter module note notice offer order owner package page parcel partner password payment permit person phone picture plan point policy price printer process product profile project promise proof queue quota rate receipt record refund region report request reserve review reward role route rule schedule season section seller service session shift shop signal site slot source stage stock store stream student supplier survey tariff task tax team ticket title token tour trade trip truck user vendor version visit voucher warehouse window worker zone".split(
    " ",
  );
const VERBS =
  "accept add apply archive assign attach block book build cancel change charge check clear close collect combine compare confirm convert copy count create decide delete deliver detach divide draw drop emit estimate expand export fetch fill filter find fix flush forward gather grant group guess hide hold import insert inspect issue join keep label link list load lock mark match measure merge move note notify open order pack parse pause pick plan post prepare print prove publish pull push queue quote rank read rebuild record reduce refund reject release remind remove rename renew repair replace report reserve resolve restore resume retry return review revoke rotate round save scan schedule search seal select send settle share ship show sign skip sort split start stop store submit sum swap switch sync tag take test trace track transfer trim unlock update upload validate verify watch weigh write".split(
    " ",
  );

const title = (word: string): string => word[0]?.toUpperCase() + word.slice(1);

export function fileText(i: number): string {
  const noun = NOUNS[i % NOUNS.length] as string;
  const other = NOUNS[(i * 7 + 3) % NOUNS.length] as string;
  const functions = [0, 1, 2, 3].map((n) => {
    const verb = VERBS[(i * 5 + n * 11) % VERBS.length] as string;
    return `/** Tries to ${verb} the ${noun} with its ${other}. */\nexport function ${verb}${title(noun)}${i}(${other}: string, amount: number): string {\n  const ${noun}Name = ${other} + String(amount * ${n + 1});\n  if (${noun}Name.length > ${i % 90}) return ${noun}Name;\n  return ${other};\n}\n`;
  });
  const before = Math.max(0, i - 1);
  const used = `${VERBS[(before * 5) % VERBS.length] as string}${title(NOUNS[before % NOUNS.length] as string)}${before}`;
  const from = path.posix.relative(path.posix.dirname(filePath(i)), filePath(before));
  return `import { ${used} } from "${from.startsWith(".") ? from : `./${from}`}";\n\n${functions.join("\n")}`;
}

export function filePath(i: number): string {
  return `src/part-${Math.floor(i / 50)}/${NOUNS[i % NOUNS.length] as string}-${i}.ts`;
}

export function writeProject(root: string, count: number, from = 0): void {
  for (let i = from; i < count; i += 1) {
    const file = path.join(root, filePath(i));
    if (i % 50 === 0) mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, fileText(i));
  }
}

/** A git history over the first files: each commit says what it did and touches a few that belong together. */
export function writeHistory(root: string, count: number, files: number): void {
  const lines: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const place = (i * 7_919) % files;
    const verb = VERBS[(i * 3) % VERBS.length] as string;
    const message = `fix: ${verb} the ${NOUNS[place % NOUNS.length] as string} once\n\nThe ${NOUNS[(i * 11) % NOUNS.length] as string} was left open when the ${NOUNS[(i * 5) % NOUNS.length] as string} came late.`;
    lines.push(`commit refs/heads/main\ncommitter Ada <ada@example.com> ${1_650_000_000 + i * 3_600} +0000\n${data(message)}`);
    for (let n = 0; n <= i % 4; n += 1) {
      const file = (place + n * 3) % files;
      lines.push(`M 100644 inline ${filePath(file)}\n${data(i >= count - files ? fileText(file) : `${fileText(file)}// ${i}\n`)}`);
    }
  }
  execFileSync("git", ["-C", root, "init", "-q", "-b", "main"]);
  execFileSync("git", ["-C", root, "fast-import", "--quiet"], { input: lines.join("\n"), maxBuffer: 1e9 });
  execFileSync("git", ["-C", root, "reset", "-q", "--mixed"]);
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}`;
}

const PEOPLE = ["Priya", "Marcus", "Elena", "Tobias", "Yuki", "Amara"];

export function makeHistory(count: number): HistoryEntry[] {
  return Array.from({ length: count }, (_, i) => {
    const [noun, other] = [NOUNS[(i * 7) % NOUNS.length] as string, NOUNS[(i * 13 + 5) % NOUNS.length] as string];
    const verb = VERBS[(i * 5) % VERBS.length] as string;
    return {
      id: `t${i}`,
      externalId: `t${i}`,
      thread: `meeting-${Math.floor(i / 40)}`,
      author: PEOPLE[i % PEOPLE.length] as string,
      at: Date.UTC(2022, 0, 1) + Math.floor(i / 40) * 86_400_000 + (i % 40) * 60_000,
      text: `I think we should ${verb} the ${noun} before the ${other} is due, otherwise number ${i} comes back to us next week.`,
      kind: "history_entry",
    };
  });
}

export interface SpeedQuery {
  kind: "words" | "identifier" | "question" | "error" | "change" | "history" | "everything";
  domain: "code" | "history" | "all";
  text: string;
}

/** As people and agents ask: words, names, questions, stack traces, descriptions of a change, what was said. */
export function speedQueries(count: number, files: number): SpeedQuery[] {
  return Array.from({ length: count }, (_, n): SpeedQuery => {
    const i = (n * 2_654_435) % files;
    const noun = NOUNS[i % NOUNS.length] as string;
    const other = NOUNS[(n * 29) % NOUNS.length] as string;
    const verb = VERBS[(n * 13) % VERBS.length] as string;
    const name = `${VERBS[(i * 5) % VERBS.length] as string}${title(noun)}${i}`;
    const all: readonly SpeedQuery[] = [
      { kind: "words", domain: "code", text: `${verb} ${noun} ${other}` },
      { kind: "identifier", domain: "code", text: name },
      { kind: "question", domain: "code", text: `Where do we ${verb} a ${noun} that has no ${other} and return its name?` },
      {
        kind: "error",
        domain: "code",
        text: `TypeError: Cannot read properties of undefined (reading 'length')\n    at ${name} (/home/dev/shop/${filePath(i)}:${(n % 20) + 3}:9)\n    at async main (node:internal/process/task_queues:95:5)`,
      },
      {
        kind: "change",
        domain: "code",
        text: `fix: ${verb} the ${noun} before the ${other}\n\nThe amount of the ${noun} was read as a string when the ${other} had been ${verb}ed twice, so the ${NOUNS[(n * 31) % NOUNS.length] as string} got the wrong name. Returns early now and adds a test.`,
      },
      {
        kind: "history",
        domain: "history",
        text: `What did ${PEOPLE[n % PEOPLE.length] as string} say about the ${noun} and the ${other} in March 2023?`,
      },
      { kind: "everything", domain: "all", text: `why did we ${verb} the ${noun}` },
    ];
    return all[n % all.length] as SpeedQuery;
  });
}
