import { expect, test } from "vitest";
import { gitMerges } from "../../../test/support/git-merges.ts";
import { MERGE_TABLE, type TableCase } from "../../../test/support/merge-cases/table.ts";
import { mergeText } from "./merge-text.ts";

/** Blank lines apart: what is between two parts is not what these cases are about. */
const plain = (text: string | undefined): string | undefined => text?.replaceAll(/\n\s*\n/gu, "\n").trimEnd();

interface Score {
  clean: number;
  git: number;
  wrong: string[];
  needless: string[];
}

async function score(cases: readonly TableCase[]): Promise<Score> {
  const out: Score = { clean: 0, git: 0, wrong: [], needless: [] };
  const byGit = gitMerges(cases);
  for (const [i, { file, name, base, ours, theirs, merged, may }] of cases.entries()) {
    const lines = byGit[i] ?? { text: "", hunks: [] };
    if (lines.hunks.length === 0 && plain(lines.text) === plain(merged)) out.git += 1;
    const result = await mergeText({ path: file, base, ours, theirs }, () => Promise.resolve(lines));
    const right = plain(result.kind === "merged" ? result.text : undefined) === plain(merged);
    if (right && merged !== undefined) out.clean += 1;
    if (!right) (result.kind === "merged" ? out.wrong : may ? [] : out.needless).push(`${file}, ${name}`);
  }
  return out;
}

test.each([...Map.groupBy(MERGE_TABLE, ({ file }) => file)])(
  "V0: %s: no merge is silently wrong, and none that lines and names decide is left to a person",
  async (_, cases) => {
    expect(await score(cases)).toMatchObject({ wrong: [], needless: [] });
  },
);

test("V0: of at least 300 cases in ten languages far more are clean and right than with git", async () => {
  const all = await score(MERGE_TABLE);
  expect(MERGE_TABLE.length).toBeGreaterThanOrEqual(300);
  expect(new Set(MERGE_TABLE.map(({ file }) => file.slice(file.indexOf(".")))).size).toBeGreaterThanOrEqual(10);
  expect(all.clean).toBeGreaterThan(1.4 * all.git);
});
