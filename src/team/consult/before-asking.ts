/**
 * Who knows is asked before the user: the code and the past first, then documents, and whoever does not speak to the
 * user asks the Architect last. What was found is shown with the question.
 */
import { z } from "zod";
import { wording } from "../../kernel/index.ts";
import { DEFAULT_SESSION } from "../../protocol/events/index.ts";
import type { RoleSpec } from "../../protocol/index.ts";
import type { StepExtension, TaskState } from "../../step/index.ts";
import { askedBy } from "./consult-action.ts";

const question = z.object({ question: z.string(), preference: z.boolean().optional() });

/** In this order; all of a stage are asked before the next. */
const STAGES = [["librarian", "archivalist"], ["academic"], ["architect"]] as const;

function missing({ consults, speaks }: Pick<RoleSpec, "consults" | "speaks">, asked: ReadonlySet<string>, isPreference: boolean): string[] {
  for (const [at, stage] of STAGES.entries()) {
    // What only the person can prefer stands in no document; only who does not speak to the user needs somebody who does.
    if ((at === 1 && isPreference) || (at === 2 && speaks !== "never")) continue;
    const open = stage.filter((one) => consults.includes(one) && !asked.has(one));
    if (open.length > 0) return open;
  }
  return [];
}

export function beforeAsking(specOf: (role: string) => RoleSpec): NonNullable<StepExtension["allows"]> {
  return ({ action, args }, task: TaskState) => {
    const given = action.ends === "ask_user" && task.created.session !== DEFAULT_SESSION ? question.safeParse(args) : undefined;
    if (given?.success !== true) return Promise.resolve({ kind: "allowed" });
    const spec = specOf(task.created.role);
    const asked = askedBy(task);
    const open = missing(spec, new Set(asked.map(({ target }) => target)), given.data.preference === true);
    if (open.length > 0)
      return Promise.resolve({
        kind: "refused",
        reason: `the person is asked last: consult ${open.join(" and ")} about this first`,
      });
    const from = spec.speaks === "never" ? `The architect passes on what the ${spec.id} could not settle: ` : "";
    const checked = asked.map(({ target, summary }) => `- ${target}: ${wording.oneLine(summary.replace(`${target}: `, ""), 160)}`);
    const text = [`${from}${given.data.question}`, ...(checked.length === 0 ? [] : ["Checked before asking you:", ...checked])].join("\n");
    return Promise.resolve({ kind: "allowed", args: { ...given.data, question: text } });
  };
}
