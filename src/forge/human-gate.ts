/**
 * A user decides before anything is written (SKF-005, SKF-016), by answering a durable question. No answer
 * within the limit is a rejection that can be taken up again; nobody there is never an approval: the run rests.
 */
import { sha256, SylkError } from "../kernel/index.ts";
import { DEFAULT_SESSION, SYSTEM } from "../protocol/events/index.ts";
import type { SkillReport } from "./check-skill.ts";
import { forgeError } from "./forge-error.ts";
import type { SkillFiles } from "./read-skill.ts";
import type { SkillRun } from "./skill-run.ts";
import type { Question, QuestionAnswer } from "../protocol/index.ts";

const GATE_TIMEOUT_MS = 120_000;

export interface GateView {
  name: string;
  description: string;
  text: string;
  files: SkillFiles;
  report: SkillReport;
  targets: { target: string; folder: string }[];
  corrections: string[];
  /** True when an installed skill is changed. */
  updates: boolean;
  /** What is there already, against what would be, as a unified diff; empty when nothing is. */
  diff: string;
}

export type Edit = { kind: "text"; text: string } | { kind: "words"; words: string };
type GateAnswer = { kind: "approve" } | { kind: "reject" } | { kind: "edit"; instruction: Edit };
type CollisionAnswer = { kind: "overwrite" } | { kind: "rename"; name: string } | { kind: "cancel" };

const MARK = { passed: "✓", failed: "✗", open: "·" } as const;

function checklist({ checks, notes }: SkillReport): string {
  const lines = checks.map(
    ({ result, number, title, judge, detail }) =>
      `${MARK[result]} ${number} ${title}${judge === "model" ? " (judged by the model)" : ""}${detail === "" ? "" : `: ${detail}`}`,
  );
  return [...lines, ...notes.map((note) => `! ${note}`)].join("\n");
}

function askOf(view: GateView): Question["ask"] {
  const { report } = view;
  const open = report.checks.filter((check) => check.result === "open").length;
  return {
    kind: "diff",
    summary: [
      `${view.name}  ${report.grade}  ${report.lines} lines, ${report.tokens} tokens`,
      view.description,
      ...view.targets.map(({ target, folder }) => `  ${target.padEnd(10)} ${folder}/${view.name}`),
      ...(open === 0 ? [] : [`  ${open} of 13 checks need a reader; no model judged them`]),
      ...view.corrections.map((correction) => `  corrected: ${correction}`),
      ...(view.updates && view.diff === "" ? ["nothing would change"] : []),
    ],
    text: view.text,
    diff: view.diff,
    parts: { checklist: checklist(report), ...view.files },
  };
}

/** The answer, within the limit when somebody is there. Undefined: nobody answered in time. */
async function ask(run: SkillRun, key: string, message: string, asked: Question["ask"]): Promise<QuestionAnswer | undefined> {
  const { questions, ring, signal } = run;
  const limit = questions.attended(ring.id) ? { deadlineMs: GATE_TIMEOUT_MS } : {};
  const by = SYSTEM.forge;
  return questions.ask({ asker: { kind: "skill", id: ring.id }, session: DEFAULT_SESSION, key, message, ask: asked, by, ...limit }, signal);
}

const late = (): SylkError => forgeError("E-CREATE-010", `nobody answered within ${GATE_TIMEOUT_MS / 1000} s; nothing was written`);

export async function askGate(run: SkillRun, view: GateView): Promise<GateAnswer> {
  if (run.conduct.approve === true) return { kind: "approve" };
  const key = `gate/${view.corrections.length}/${sha256(view.text)}`;
  const message = `Install ${view.name} for ${view.targets.map(({ target }) => target).join(", ")}?`;
  const answer = await ask(run, key, message, askOf(view)).catch((error: unknown) => {
    if (!SylkError.is(error, "QUESTION_OPEN")) throw error;
    throw new SylkError({
      code: "SKILL_NEEDS_APPROVAL",
      tier: "user_fixable",
      message: `the skill ${view.name} is ready, and nobody is here to approve it`,
      fix: `\`sylk answer ${String(error.details["question"])} approve\` and then \`sylk skill resume\`; or look at it with --dry-run and pass --yes`,
      cause: error,
      details: error.details,
    });
  });
  if (answer === undefined) throw late();
  if (answer.kind !== "chosen") return { kind: "reject" };
  const words = answer.words ?? "";
  if (answer.value === "edit") return { kind: "edit", instruction: { kind: "words", words } };
  if (answer.value === "replace") return { kind: "edit", instruction: { kind: "text", text: words } };
  return answer.value === "approve" ? { kind: "approve" } : { kind: "reject" };
}

/** `name`, `name-2`, `name-3` … a free one is found by trying. */
function nextName(name: string): string {
  const match = /^(.*)-(\d+)$/.exec(name);
  return match === null ? `${name.slice(0, 61)}-2` : `${match[1]}-${Number(match[2]) + 1}`;
}

/** `tried` are other names that exist too. */
export async function askCollision(
  run: SkillRun,
  name: string,
  folders: readonly string[],
  tried: readonly string[],
): Promise<CollisionAnswer> {
  const next = nextName(tried.at(-1) ?? name);
  const { onCollision } = run.conduct;
  if (onCollision !== undefined) return onCollision === "rename" ? { kind: "rename", name: next } : { kind: onCollision };
  const options = [
    { value: "overwrite", label: "overwrite", hint: "a backup is made first" },
    { value: "rename", label: "rename", hint: `install under another name; ${next} when none is given`, words: "possible" as const },
    { value: "cancel", label: "cancel" },
  ];
  const taken = [name, ...tried].join(" and ");
  const message = `${taken} exist${tried.length === 0 ? "s" : ""} already in ${folders.length} place${folders.length === 1 ? "" : "s"}`;
  const key = `collision/${[name, ...tried].join("/")}`;
  const answer = await ask(run, key, message, { kind: "choice", options }).catch((error: unknown) => {
    if (!SylkError.is(error, "QUESTION_OPEN")) throw error;
    throw forgeError("E-CREATE-008", `${name} exists already: ${folders.join(", ")}`, {
      fix: `\`sylk answer ${String(error.details["question"])} overwrite\` (a backup is made first) and then \`sylk skill resume\`; or choose --on-collision`,
      cause: error,
      details: error.details,
    });
  });
  if (answer === undefined) throw late();
  if (answer.kind !== "chosen" || answer.value === "cancel") return { kind: "cancel" };
  const words = (answer.words ?? "").trim();
  return answer.value === "overwrite" ? { kind: "overwrite" } : { kind: "rename", name: words === "" ? next : words };
}
