/** Requests: from a sentence to merged work. */
import type { Questions } from "../../journal/index.ts";
import type { SessionApi } from "../../session/index.ts";
import { commandOf, type CustomCommand } from "../../team/index.ts";
import type { CommandHandlers, QueryHandlers } from "../create-api.ts";

export interface RequestParts {
  session: () => Promise<SessionApi>;
  questions: Questions;
  /** Words with a slash that people wrote themselves. */
  custom: () => CustomCommand[];
}

export function requestHandlers({ session, questions, custom }: RequestParts) {
  return {
    commands: {
      "request.start": async ({ options }) => ({ id: await (await session()).start(options) }),
      "request.run": async ({ id, attended }, signal) => {
        using _ = attended === true ? questions.attend(id) : undefined;
        return await (await session()).run(id, signal);
      },
      "request.review": async (wanted, signal) => (await session()).review(wanted, signal),
      "request.fork": async ({ id, words }) => ({ id: await (await session()).fork(id, words) }),
      "request.pause": async ({ id }) => {
        await (await session()).pause(id);
        return null;
      },
      "request.resume": async ({ id }) => {
        await (await session()).resume(id);
        return null;
      },
      "request.signal": async ({ id, piece, signal }) => (await session()).signal(id, piece, signal),
      "request.tell": async ({ id, piece, words }) => {
        await (await session()).tell(id, piece, words);
        return null;
      },
      "request.add": async ({ id, words }) => {
        await (await session()).add(id, words);
        return null;
      },
      "request.rollback": async ({ id, force }, signal) => (await session()).rollback(id, { force, signal }),
      "request.stopped": async ({ id }) => {
        await (await session()).stopped(id);
        return null;
      },
      "request.cancel": async ({ id, reason }) => {
        await (await session()).cancel(id, reason);
        return null;
      },
    } satisfies Partial<CommandHandlers>,
    queries: {
      "request.command": async ({ words }) => commandOf(words, custom()),
      "request.commands": async () => custom().map(({ text: _text, ...shown }) => shown),
      "request.search": async ({ words }) => (await session()).search(words),
      "request.list": async ({ limit }) => (await session()).list(limit),
      "request.show": async ({ id }) => (await session()).show(id),
      "request.record": async ({ id }) => (await session()).record(id),
      "request.resolve": async ({ id }) => ({ id: await (await session()).resolve(id) }),
    } satisfies Partial<QueryHandlers>,
  };
}
