/** A plan as people read it: what will be true, then the work, in the order in which it can begin. */
import type { Plan } from "../protocol/plan/index.ts";
import { assertionLine } from "./brief.ts";
import type { Payload } from "../protocol/events/index.ts";
import { failuresText, healthText } from "./assess.ts";
import { layersOf } from "./check-plan.ts";

/** `commands`: what would run with it and nobody allowed yet; `known`: what is known of the place. */
export function planText(plan: Plan, commands: readonly string[] = [], known?: Payload<"request.assessed">): string {
  const layers = layersOf(plan.nodes) ?? [plan.nodes];
  return [
    plan.summary,
    "",
    "It will be true that",
    ...plan.assertions.map((one) => `  ${assertionLine(one)}${one.from === "inferred" ? " [not said by you]" : ""}`),
    "",
    "Work",
    ...layers.flatMap((layer) =>
      layer.flatMap((node) => [
        `  ${node.id} ${node.title}  (${node.assertions.join(", ")}${node.after.length === 0 ? "" : `; after ${node.after.join(", ")}`})`,
        ...node.goal.split("\n").map((line) => `     ${line}`),
        ...(node.files.length === 0 ? [] : [`     files: ${node.files.join(", ")}`]),
      ]),
    ),
    ...(plan.deferred.length === 0 ? [] : ["", "Left out", ...plan.deferred.map((text) => `  - ${text}`)]),
    ...(known === undefined
      ? []
      : ["", "What is known of the place", ...`${healthText(known)}\n${failuresText(known)}`.split("\n").map((line) => `  ${line}`)]),
    ...(commands.length === 0 ? [] : ["", "Approving it allows these commands", ...commands.map((text) => `  ${text}`)]),
  ].join("\n");
}
