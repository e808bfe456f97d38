/**
 * The look at a whole change, without a request: what differs in a range of commits, or in the folder since the last one,
 * read by the Inspector beside the project's own checks. Nothing is changed; what a finding is worth is decided as always.
 */
import { SylkError, newId } from "../kernel/index.ts";
import { DEFAULT_SESSION } from "../protocol/events/index.ts";
import type { Place } from "../protocol/index.ts";
import type { Input, Result } from "../protocol/api/index.ts";
import { createGitReader, type WorkTree } from "../workspace/index.ts";
import { INPUT } from "./brief.ts";
import { checkPlace, placeOf, weigh } from "./judge.ts";
import { ownChecks } from "./own-checks.ts";
import type { FlowParts } from "./parts.ts";
import { plainName, reviewText } from "./review-text.ts";
import { runPhase } from "./run-phase.ts";

const DIFF_CHARS = 24_000;

/** What is compared; `to` is undefined for the folder as it stands. */
interface Compared {
  title: string;
  from: string;
  to: string | undefined;
}

function wrongRange(range: string, cause?: unknown): SylkError {
  return new SylkError({
    code: "USAGE_CHOICE",
    tier: "user_fixable",
    message: `${range} names no commits here`,
    fix: "name a commit, or two of them: `sylk review main..HEAD`; without any, what is not committed is looked at, else the last commit",
    cause,
  });
}

async function compared(git: ReturnType<typeof createGitReader>, range: string | undefined): Promise<Compared> {
  const commit = async (name: string): Promise<string> => {
    if (name.startsWith("-")) throw wrongRange(name);
    try {
      return await git.text(["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]);
    } catch (error) {
      throw wrongRange(name, error);
    }
  };
  if (range === undefined) {
    const isDirty = (await git.text(["status", "--porcelain"])) !== "";
    if (isDirty) return { title: "what is not committed", from: await commit("HEAD"), to: undefined };
    return { title: "the last commit", from: await commit("HEAD~1"), to: await commit("HEAD") };
  }
  const [from = "", to] = range.split(/\.{2,3}/u);
  if (to === undefined) return { title: `since ${from}`, from: await commit(from), to: undefined };
  return { title: range, from: await commit(from === "" ? "HEAD" : from), to: await commit(to === "" ? "HEAD" : to) };
}

/** New files are part of what is not committed. */
async function newFiles(git: ReturnType<typeof createGitReader>, { to }: Compared): Promise<string[]> {
  if (to !== undefined) return [];
  return (await git.text(["ls-files", "-z", "--others", "--exclude-standard"])).split("\0").filter((file) => file !== "");
}

export async function reviewRange(
  parts: FlowParts & { projectDir: string },
  { range, model, profile }: Input<"request.review">,
  signal: AbortSignal,
): Promise<Result<"request.review">> {
  const git = createGitReader(parts.projectDir, parts.clock);
  const what = await compared(git, range);
  const changes = await git.fileDiffs([what.from, ...(what.to === undefined ? [] : [what.to])], signal);
  const fresh = await newFiles(git, what);
  if (changes.length + fresh.length === 0) return { title: what.title, summary: "nothing differs", findings: [], checks: [], passed: true };
  const listed = fresh.length === 0 ? "" : `\nNew files, not known to git yet; read them:\n${fresh.map(plainName).join("\n")}`;
  const id = newId("task", parts.clock.now());
  const apart = what.to === undefined ? undefined : `team_review_${id.slice(id.indexOf("_") + 1)}`;
  const tree: WorkTree | undefined = apart === undefined ? undefined : await parts.trees.open(apart, what.to, signal);
  const place: Place = tree === undefined ? { kind: "project", folder: "." } : placeOf(tree);
  try {
    const looked = await runPhase(
      parts,
      {
        id,
        type: "inspect",
        role: "inspector",
        goal: `Review this change: ${what.title}.`,
        criteria: [],
        constraints: [],
        inputs: { [INPUT.diff]: `${reviewText(changes, DIFF_CHARS).text}${listed}` },
        checks: [],
        model,
        profile,
        maxSteps: undefined,
        session: DEFAULT_SESSION,
        folder: ".",
        ...(tree === undefined ? {} : { sharedTree: tree }),
      },
      signal,
    );
    if (looked.kind !== "complete")
      throw new SylkError({
        code: "REQUEST_WRONG_STATUS",
        tier: "user_fixable",
        message: `nobody reviewed it: ${"why" in looked ? looked.why : looked.kind}`,
        fix: `\`sylk task show ${id}\` tells how far it came; \`sylk review\` begins anew`,
      });
    const checked = await checkPlace(parts, place, {
      as: looked.task.created,
      checks: await ownChecks(parts, looked.task, signal),
      signal,
    });
    const findings = await weigh(parts, place, looked.task, checked, signal);
    const passed = findings.every((one) => !one.blocks) && checked.lines.every((line) => line.passed || checked.mute.includes(line.name));
    return { title: what.title, summary: looked.task.report ?? "", findings, checks: checked.lines, passed, task: id };
  } finally {
    if (apart !== undefined) await parts.trees.drop(apart);
  }
}
