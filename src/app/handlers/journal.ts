/** The journal: where it stands, the way into it, and its upkeep. */
import type { Store } from "../../journal/index.ts";
import type { LiveHub } from "../../step/index.ts";
import type { CommandHandlers, QueryHandlers } from "../create-api.ts";
import { lastPositions } from "../../journal/index.ts";
import type { JournalApi } from "../../journal/index.ts";
import { wire } from "./wire.ts";

export interface JournalParts {
  journal: JournalApi;
  /** Undefined while the project has none. */
  existing: () => Promise<Store | undefined>;
  live: LiveHub["sink"];
}

export function journalHandlers({ journal, existing, live }: JournalParts) {
  const head = async (): Promise<number> => (await (await existing())?.journal.headPosition()) ?? 0;
  return {
    commands: {
      "journal.accept": ({ reason }) => journal.accept(reason),
      "journal.rebuild": async () => wire(await journal.rebuild()),
      "journal.adopt": (options) => journal.adopt(options),
      "journal.compact": async () => wire(await journal.compact()),
    } satisfies Partial<CommandHandlers>,
    queries: {
      "journal.head": async () => ({ position: await head() }),
      "journal.tail": async ({ filter, count }) => {
        const store = await existing();
        return store === undefined ? { after: 0, head: 0 } : { after: await lastPositions(store, filter, count), head: await head() };
      },
      "journal.show": async ({ which }) => (await journal.show(which)) ?? null,
      "journal.verify": async (_, signal) =>
        wire(
          await journal.verify({
            signal,
            onProgress: ({ phase, done, total }) => live({ type: "progress", about: "verify", what: phase, done, total }),
          }),
        ),
      "journal.path": async () => ({ path: journal.path }),
    } satisfies Partial<QueryHandlers>,
  };
}
