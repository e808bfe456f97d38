/** Requests: from a sentence to merged work. */
import type { FlowApi } from "../../flow/index.ts";
import type { Questions } from "../../journal/index.ts";
import { commandOf, type CustomCommand } from "../../team/index.ts";
import type { CommandHandlers, QueryHandlers } from "../create-api.ts";

export interface RequestParts {
  flow: () => Promise<FlowApi>;
  questions: Questions;
  /** Words with a slash that people wrote themselves. */
  custom: () => CustomCommand[];
}

export function requestHandlers({ flow, questions, custom }: RequestParts) {
  return {
    commands: {
      "request.start": async ({ options }) => ({ id: await (await flow()).start(options) }),
      "request.run": async ({ id, attended }, signal) => {
        using _ = attended === true ? questions.attend(id) : undefined;
        return await (await flow()).run(id, signal);
      },
      "request.review": async (wanted, signal) => (await flow()).review(wanted, signal),
      "request.fork": async ({ id, words }) => ({ id: await (await flow()).fork(id, words) }),
      "request.pause": async ({ id }) => {
        await (await flow()).pause(id);
        return null;
      },
      "request.resume": async ({ id }) => {
        await (await flow()).resume(id);
        return null;
      },
      "request.signal": async ({ id, piece, signal }) => (await flow()).signal(id, piece, signal),
      "request.tell": async ({ id, piece, words }) => {
        await (await flow()).tell(id, piece, words);
        return null;
      },
      "request.rollback": async ({ id, force }, signal) => (await flow()).rollback(id, { force, signal }),
      "request.cancel": async ({ id, reason }) => {
        await (await flow()).cancel(id, reason);
        return null;
      },
    } satisfies Partial<CommandHandlers>,
    queries: {
      "request.command": async ({ words }) => commandOf(words, custom()),
      "request.commands": async () => custom().map(({ text: _text, ...shown }) => shown),
      "request.search": async ({ words }) => (await flow()).search(words),
      "request.list": async ({ limit }) => (await flow()).list(limit),
      "request.show": async ({ id }) => (await flow()).show(id),
      "request.record": async ({ id }) => (await flow()).record(id),
      "request.resolve": async ({ id }) => ({ id: await (await flow()).resolve(id) }),
    } satisfies Partial<QueryHandlers>,
  };
}
