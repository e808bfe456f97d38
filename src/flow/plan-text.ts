/** A plan as people read it: what will be true, then the work, in the order in which it can begin. */
import { wording } from "../kernel/index.ts";
import type { Plan } from "../protocol/plan/index.ts";
import { assertionLine } from "./brief.ts";
import type { Payload } from "../protocol/events/index.ts";
import { baselineText, todayNote, type Today } from "./baseline.ts";
import { layersOf } from "./check-plan.ts";
import { placeInWords } from "./place-in-words.ts";

const WHY: Readonly<Record<Plan["left"][number]["why"], string>> = {
  conflict: "goes against what you said",
  duplicate: "is said already",
  undecided: "may go against what you said",
  not_relevant: "is not needed here",
  removed: "was taken out by you",
};

const leftLine = ({ text, level, why, what }: Plan["left"][number]): string =>
  `  - ${text} (${level}): ${WHY[why]}${what === "" || why === "removed" ? "" : `: ${what}`}`;
const section = (title: string, lines: readonly string[]): string[] => (lines.length === 0 ? [] : ["", title, ...lines]);

export interface PlanNotes {
  /** What would run with it and nobody allowed yet. */
  commands?: readonly string[];
  /** What is known of the place. */
  known?: Payload<"request.assessed"> | undefined;
  /** How commands stand before anything is built. */
  today?: readonly Today[];
}

export function planText(plan: Plan, { commands = [], known, today = [] }: PlanNotes = {}): string {
  const layers = layersOf(plan.nodes) ?? [plan.nodes];
  return [
    plan.summary,
    "",
    "It will be true that",
    ...plan.assertions.map(
      (one) =>
        `  ${assertionLine(one, todayNote(today, one.command))}${one.from === "inferred" ? ` [not said by you; ${one.level ?? "recommended"}]` : ""}`,
    ),
    "",
    "Work",
    ...layers.flatMap((layer) =>
      layer.flatMap((node) => [
        `  ${node.id} ${wording.oneLine(node.title)}  (${node.assertions.join(", ")}${node.after.length === 0 ? "" : `; after ${node.after.join(", ")}`})`,
        ...node.goal.split("\n").map((line) => `     ${line}`),
        ...(node.files.length === 0 ? [] : [`     files: ${node.files.join(", ")}`]),
      ]),
    ),
    ...section("Not taken in, although it could be expected", plan.left.filter(({ why }) => why !== "undecided").map(leftLine)),
    ...section(
      "Does this belong to it? Nobody could tell; it is left out unless you say so (`edit`)",
      plan.left.filter(({ why }) => why === "undecided").map(leftLine),
    ),
    ...section(
      "Left out",
      plan.deferred.map((text) => `  - ${text}`),
    ),
    ...section("What is known of the place", known === undefined ? [] : placeInWords(known).map((line) => `  ${line}`)),
    ...section(
      "The project's checks today",
      today.filter(({ says }) => says !== "not_tried").map((one) => `  ${baselineText([one])}`),
    ),
    ...section(
      "Approving it allows these commands",
      commands.map((text) => `  ${text}`),
    ),
  ].join("\n");
}
