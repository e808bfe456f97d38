/** Keeps secrets out: of what the user typed, and of what an agent wants to do. */
import { checkParameters, createScreenPrompt, openAudit, type Redactor } from "../../guard/index.ts";
import type { Store } from "../../journal/index.ts";
import { agentActor, type Payload } from "../../protocol/events/index.ts";
import type { StepExtension } from "../extension.ts";

export interface ScreeningParts {
  redactor: Redactor;
  store: () => Promise<Store>;
  /** Kinds of act that are left out of the audit trail. */
  off: () => ReadonlySet<Payload<"audit.recorded">["category"]>;
}

export function createScreening({ redactor, store, off }: ScreeningParts): StepExtension {
  const redact = (text: string): string => redactor.redact(text).text;
  return {
    name: "screening",
    screen: createScreenPrompt(redactor, async () => (await store()).journal),
    async before({ action, args }, { id, session, role }) {
      if (typeof args !== "object" || args === null) return undefined;
      // Where something lies is no text: `$HOME` would stand there as it is.
      const places = new Set(action.paths?.(args) ?? []);
      const named = (value: unknown): boolean => typeof value === "string" && places.has(value);
      const text = new Set(Object.entries(args).flatMap(([name, value]) => (named(value) ? [] : [name])));
      // `credentials` lists names, which is how a credential is meant to be used.
      const { credentials: _names, ...rest } = args as Record<string, unknown>;
      const check = checkParameters(redactor, rest, text);
      if (check.kind === "clean") return undefined;
      const { journal } = await store();
      const audit = openAudit({ journal, redact, actor: agentActor(role), sessionId: session, taskId: id, off: off() });
      await audit.secrets({ place: "tool_parameter", subject: `${action.name}.${check.parameter}`, count: 1, patterns: [check.reason] });
      return check.reason === "environment_reference"
        ? `${check.parameter} names an environment variable, which tools do not expand`
        : `${check.parameter} holds a secret; name a credential instead`;
    },
  };
}
