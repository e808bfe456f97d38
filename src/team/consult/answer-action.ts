/** How a task that was asked something answers: with places others can look at, or by saying that it is not there. */
import { z } from "zod";
import { wording } from "../../kernel/index.ts";
import { defineAction, type TaskState } from "../../step/index.ts";

const MAX_ANSWER = 2_000;
const MAX_SOURCES = 8;

export interface Answer {
  text: string;
  sources: string[];
  confidence: number;
  /** Limits and criteria of the person that it does not meet. */
  unmet: string[];
}

const NOT_FOUND = /^\W*not found\b/iu;
const PLACE = /^(?<file>.+):(?<line>\d+)(?:-\d+)?$/u;
/** A commit, or the address of a document. */
const ELSEWHERE = /^(?:commit\s+)?[0-9a-f]{7,40}$|^https?:\/\/\S+$/iu;

const given = z.object({
  answer: z.string(),
  /** path:line, a commit, or an address. */
  sources: z.array(z.string()),
  confidence: z.number().min(0).max(1),
  /** Limits and criteria of the person that it does not meet. */
  unmet: z.array(z.string()).optional(),
});

const MAX_UNMET = 300;

type Context = Parameters<Parameters<typeof defineAction>[0]["execute"]>[1];

/** What is wrong with a source; undefined: it can be looked at. */
async function problemOf(source: string, { workspace }: Pick<Context, "workspace">): Promise<string | undefined> {
  if (ELSEWHERE.test(source)) return undefined;
  const place = PLACE.exec(source)?.groups;
  if (place === undefined) return `${source} is no path:line, commit or address`;
  const { file = "", line = "" } = place;
  const read = await workspace.files.read({ path: file, fromLine: Number(line), maxLines: 1 });
  if (read.kind !== "text") return `${file} cannot be read (${read.kind.replaceAll("_", " ")})`;
  return read.lines.length === 0 ? `${file} has no line ${line}` : undefined;
}

export const answerAction = defineAction<z.infer<typeof given>>({
  name: "answer",
  summary: "Answer, or `not found`. Ends it.",
  effect: "none",
  ends: "complete",
  schema: given,
  target: () => "",
  async execute({ answer, sources, confidence, unmet: said = [] }, context) {
    const unmet = said
      .filter((text) => text.trim() !== "")
      .slice(0, MAX_SOURCES)
      .map((text) => wording.shorten(text, MAX_UNMET));
    const isFound = !NOT_FOUND.test(answer);
    if (answer.trim() === "" || sources.length > MAX_SOURCES)
      return { ok: false, outcome: "unusable", summary: `an answer has words and at most ${MAX_SOURCES} sources` };
    if (isFound && sources.length === 0)
      return { ok: false, outcome: "no_sources", summary: "an answer names what shows it: give sources, or say `not found`" };
    const problems = (await Promise.all(sources.map((source) => problemOf(source, context)))).filter((one) => one !== undefined);
    if (problems.length > 0) return { ok: false, outcome: "bad_source", summary: `not every source holds: ${problems.join("; ")}` };
    const outputs = { answer: wording.shorten(answer, MAX_ANSWER), sources, confidence: String(isFound ? confidence : 0), unmet };
    return { ok: true, outcome: "complete", summary: outputs.answer, detail: answer, outputs };
  },
});

/** What a task answered; undefined when it did not. */
export function answerOf({ status, outputs }: Pick<TaskState, "status" | "outputs">): Answer | undefined {
  if (status !== "complete" || typeof outputs?.["answer"] !== "string") return undefined;
  const { answer, sources, confidence, unmet } = outputs;
  const list = (value: unknown): string[] => (Array.isArray(value) ? value.filter((one) => typeof one === "string") : []);
  return { text: answer, sources: list(sources), confidence: Number(confidence), unmet: list(unmet) };
}

export function answerText({ text, sources }: Answer): string {
  return sources.length === 0 ? text : `${text}\nSources: ${sources.join(", ")}`;
}
