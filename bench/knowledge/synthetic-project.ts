/** A project of any size: modules that import each other, with words of their own. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

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
  return `import { helper${i} } from "../part-${Math.floor(i / 50)}/${other}-${Math.max(0, i - 1)}.ts";\n\n${functions.join("\n")}`;
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

export function queryText(i: number): string {
  return `${VERBS[(i * 13) % VERBS.length] as string} ${NOUNS[(i * 17) % NOUNS.length] as string} ${NOUNS[(i * 29) % NOUNS.length] as string}`;
}
