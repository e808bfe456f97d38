/**
 * When a review stands without being made again: the very same contents, or the same change of its own after nothing but
 * what others merged came in. Checks are always run again; only the reading is not.
 */
import { canonicalJson, sha256 } from "../kernel/index.ts";
import type { Payload } from "../protocol/events/index.ts";
import type { Intent } from "../protocol/plan/index.ts";
import type { PipelineState } from "./pipeline-state.ts";
import type { RequestState } from "./request-state.ts";
import type { FileDiff } from "./review-text.ts";

type Judged = Payload<"pipeline.judged">;
type Stands = NonNullable<Judged["review_stands"]>;

interface Marks {
  /** Of the files as the change leaves them. */
  reviewed: string;
  /** Of the lines that it adds and takes away, wherever they stand; absent where they are not all known. */
  change?: string;
}

/** Where lines stand, and what stands around them, is others' doing as well. */
const BY_OTHERS = /^(?: |@@|index |$)/u;

/** Git may begin the same lines elsewhere once others stand around them. */
const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .filter((line) => !BY_OTHERS.test(line))
    .toSorted();

/** Bytes that are no text look alike. */
const isKnown = ({ text }: FileDiff): boolean => text !== undefined && !text.includes("\uFFFD");

/** What a review of a change is known by; `but`: files that are none of its matter. */
export function marksOf(all: readonly FileDiff[], { intent, but = [] }: { intent: Intent; but?: readonly string[] }): Marks {
  const changes = all.filter(({ path }) => !but.includes(path));
  const files = changes.map(({ path, status, newMode, newBlob }) => [path, status, newMode, newBlob]);
  return {
    reviewed: sha256(canonicalJson([intent, files])),
    ...(changes.every(isKnown) ? { change: sha256(canonicalJson([intent, changes.map(({ text = "" }) => linesOf(text))])) } : {}),
  };
}

/** The last review that found nothing to hold it up, where it speaks for these too. */
export function standing(last: Judged | undefined, marks: Marks): Stands | undefined {
  if (last === undefined) return undefined;
  const commit = last.review_stands?.commit ?? last.commit;
  if (last.reviewed === marks.reviewed) return { commit, why: "same_contents" };
  return last.change !== undefined && last.change === marks.change ? { commit, why: "same_change" } : undefined;
}

/** The piece that all of it is, and nothing was mended since. */
export function onlyPiece({ nodes, repairs, plan }: RequestState, known: ReadonlyMap<string, PipelineState>): PipelineState | undefined {
  const [node, ...others] = nodes;
  if (node === undefined || others.length > 0 || repairs > 0) return undefined;
  const holdsAll = plan?.plan.assertions.every(({ id }) => node.assertions.includes(id)) ?? false;
  const piece = known.get(node.id);
  return holdsAll && piece?.merged !== undefined ? piece : undefined;
}
