/** How a task that was asked something says that it is not the one to ask, or that it needs to know more first. */
import { z } from "zod";
import { wording } from "../../kernel/index.ts";
import { defineAction, type TaskState } from "../../step/index.ts";

const given = z.object({
  /** Why, or what is missing. */
  reason: z.string(),
  /** Whose it is, where it is another's; absent: it could be answered if more were known. */
  to: z.string().optional(),
});
/** `no`: it belongs to somebody else; `partial`: something is missing. */
export type Rerouted = z.infer<typeof given> & { verdict: "no" | "partial" };

const MAX_REASON = 300;

const verdictOf = (said: z.infer<typeof given>): Rerouted => ({ ...said, verdict: said.to === undefined ? "partial" : "no" });

/** Whoever the person chose answers as well as it can. */
const CHOSEN = "chosen by the person";

export const rerouteAction = defineAction<z.infer<typeof given>>({
  name: "reroute",
  summary: "Not yours (to: whose, or nobody), or something is missing. Ends it.",
  effect: "none",
  ends: "complete",
  schema: given,
  target: ({ to = "" }) => to,
  offeredTo: ({ type, inputs }) => type === "consult" && !(CHOSEN in inputs),
  execute(words) {
    const said = verdictOf({ ...words, reason: wording.shorten(words.reason.trim(), MAX_REASON) });
    return Promise.resolve({
      ok: true,
      outcome: "complete",
      summary: `${said.verdict}: ${said.reason}`,
      detail: said.reason,
      outputs: { reroute: JSON.stringify(said) },
    });
  },
});

/** What a task said instead of an answer; undefined when it did not. */
function reroutedBy({ status, outputs }: Pick<TaskState, "status" | "outputs">): Rerouted | undefined {
  const said = outputs?.["reroute"];
  return status === "complete" && typeof said === "string" ? verdictOf(given.parse(JSON.parse(said))) : undefined;
}

type Hop = { from: string; reason: string; to: string };

/** This many who refused, and the user is asked. */
const MAX_HOPS = 3;

/** `hops`: with the newest. Where it goes next; `user`: nobody else may be tried. */
function nextAfter(hops: readonly Hop[], mayAnswer: (role: string) => boolean): { to: string } | "user" | "nobody" {
  const to = hops.at(-1)?.to ?? "";
  if (hops.length >= MAX_HOPS || hops.some(({ from }) => from === to)) return "user";
  return to !== "" && mayAnswer(to) ? { to } : "nobody";
}

/** For the user: what was asked, who would not have it, and why. */
const hopsText = (question: string, hops: readonly Hop[]): string =>
  [`Nobody takes this for theirs: "${question}"`, ...hops.map(({ from, reason }) => `- ${from}: ${reason}`), "Who should answer it?"].join(
    "\n",
  );

/** What becomes of something that nobody takes for theirs. */
export const REROUTE = { chosen: CHOSEN, by: reroutedBy, next: nextAfter, text: hopsText } as const;
