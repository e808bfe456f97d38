/** `node scripts/merge-fuzz.ts [merges] [first seed]`: random three-way merges in ten languages, judged by marks. */
import { markedCase, mergeMarked, type MarkedRun } from "../test/support/merge-marks/run.ts";

const [count, first] = [Number(process.argv[2] ?? 100_000), Number(process.argv[3] ?? 1)];
const line = ({ merges, clean, conflicts, git, wrong }: MarkedRun): string =>
  `${merges} merges: ${clean.lines} clean by lines, ${clean.structure} by structure, ${conflicts} conflicts, ${wrong.length} wrong; git alone: ${git.clean} clean, ${git.wrong} of them wrong`;

const run = await mergeMarked(first, count, (now) => {
  if (now.merges % 5000 === 0) process.stderr.write(`${line(now)}\n`);
});
process.stdout.write(`seeds ${first} to ${first + count - 1}: ${line(run)}\n`);
for (const { seed, language, what } of run.wrong) process.stdout.write(`seed ${seed}, ${language}: ${what}\n`);
if (run.wrong[0] !== undefined) {
  const { texts } = markedCase(run.wrong[0].seed);
  for (const [side, text] of Object.entries(texts)) process.stdout.write(`--- ${side}\n${text}`);
  process.exitCode = 1;
}
