/** Many random three-way merges: made, merged by git and by us, judged by their marks. */
import { parse as parseToml } from "smol-toml";
import { parse as parseYaml } from "yaml";
import { mergeText } from "../../../src/code/merge/merge-text.ts";
import { grammarFor } from "../../../src/code/index.ts";
import { parseJson } from "../../../src/code/languages/parse-json.ts";
import { parseCode } from "../../../src/code/syntax/parse-code.ts";
import type { MergedLines } from "../../../src/code/lines/index.ts";
import { gitMerges } from "../git-merges.ts";
import { edit, marksFrom, programFrom, randomFrom } from "./program.ts";
import { wrongWith, type Judged } from "./judge.ts";
import { MARK_LANGUAGES, render } from "./render.ts";

interface Made extends Judged {
  seed: number;
}

function make(seed: number): Made {
  const random = randomFrom(seed);
  const language = MARK_LANGUAGES[random(MARK_LANGUAGES.length)] as string;
  const marks = marksFrom(100);
  const base = programFrom(random, marks);
  const ours = edit(base, random, marks);
  const theirs = edit(base, random, marks);
  const texts = { base: render(base, language), ours: render(ours.program, language), theirs: render(theirs.program, language) };
  return { seed, language, base, ours, theirs, texts };
}

async function parses(language: string, text: string): Promise<boolean> {
  try {
    if (language === "yaml") return parseYaml(text) !== undefined;
    if (language === "toml") return typeof parseToml(text) === "object";
    if (language === "jsonc") return parseJson(text) !== undefined;
    const grammar = grammarFor(`.${language}`);
    if (grammar === undefined) return true;
    using code = await parseCode(grammar.name, text);
    return code !== undefined && !code.broken;
  } catch {
    return false;
  }
}

export interface MarkedRun {
  merges: number;
  clean: { structure: number; lines: number };
  conflicts: number;
  /** Clean by git alone, and of these wrong by the marks. */
  git: { clean: number; wrong: number };
  /** With the seed that makes it again. */
  wrong: { seed: number; language: string; what: string }[];
}

const BATCH = 500;

/** Seeds `first`, `first + 1`, … */
export async function mergeMarked(first: number, count: number, tell?: (run: MarkedRun) => void): Promise<MarkedRun> {
  const run: MarkedRun = { merges: 0, clean: { structure: 0, lines: 0 }, conflicts: 0, git: { clean: 0, wrong: 0 }, wrong: [] };
  for (let from = 0; from < count; from += BATCH) {
    const cases = Array.from({ length: Math.min(BATCH, count - from) }, (_, i) => make(first + from + i));
    const lines = gitMerges(cases.map(({ texts }) => texts));
    for (const [i, one] of cases.entries()) {
      const byGit = lines[i] as MergedLines;
      run.merges += 1;
      if (byGit.hunks.length === 0) {
        run.git.clean += 1;
        if (wrongWith(one, byGit.text) !== undefined) run.git.wrong += 1;
      }
      const merged = await mergeText({ path: `a.${one.language}`, ...one.texts }, () => Promise.resolve(byGit));
      if (merged.kind === "conflict") {
        run.conflicts += 1;
        continue;
      }
      run.clean[merged.by === "structure" ? "structure" : "lines"] += 1;
      const what = wrongWith(one, merged.text) ?? ((await parses(one.language, merged.text)) ? undefined : "does not parse");
      if (what !== undefined) run.wrong.push({ seed: one.seed, language: one.language, what: `${what} (by ${merged.by})` });
    }
    tell?.(run);
  }
  return run;
}

/** For looking at one of them. */
export const markedCase = (seed: number): Made => make(seed);
