/**
 * Hooks that fail. Once is nothing; twice in a row the user is told; after the third time the hook is left alone
 * until Sylk starts again or it is written anew. A hook that works is forgiven everything.
 */
import { wording } from "../../kernel/index.ts";
import type { Hook } from "./read-hooks.ts";

const WARNED_AT = 2;
const STOPPED_AT = 3;

/** What the user is told of hooks; the shape of a task's notices. */
export interface HookNotice {
  about: "hooks";
  target: string;
  outcome: string;
  summary: string;
}

export function noticeOf(hook: Hook, outcome: string, summary: string): HookNotice {
  return { about: "hooks", target: `${hook.event} ${wording.oneLine(hook.command, 80)}`, outcome, summary };
}

const keyOf = ({ event, matcher, command, file }: Hook): string => JSON.stringify([event, matcher, command, file]);

export class HookHealth {
  readonly #failures = new Map<string, number>();

  isStopped(hook: Hook): boolean {
    return (this.#failures.get(keyOf(hook)) ?? 0) >= STOPPED_AT;
  }

  worked(hook: Hook): void {
    this.#failures.delete(keyOf(hook));
  }

  /** What the user is to be told of it. */
  failed(hook: Hook, why: string): HookNotice | undefined {
    const count = (this.#failures.get(keyOf(hook)) ?? 0) + 1;
    this.#failures.set(keyOf(hook), count);
    if (count === WARNED_AT) return noticeOf(hook, "warned", `this hook failed twice, and the work went on: ${why}`);
    if (count !== STOPPED_AT) return undefined;
    const summary = `this hook failed ${STOPPED_AT} times and is not used any more: ${why}; mend it in ${hook.file}, \`sylk hooks test ${hook.event}\` tries it`;
    return noticeOf(hook, "stopped", summary);
  }
}
