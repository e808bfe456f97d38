import { expect, test } from "vitest";
import { whileHeld } from "./overlap.ts";

const AT_WORK = { ended: undefined, waits: undefined, paused: false, held: undefined, merged: undefined };

test.each<[string, object | undefined, boolean | undefined]>([
  ["is at work", AT_WORK, undefined],
  ["is through", { ...AT_WORK, ended: {}, merged: {} }, true],
  ["ended without being merged", { ...AT_WORK, ended: {} }, false],
  ["was paused", { ...AT_WORK, paused: true }, false],
  ["rests for another one", { ...AT_WORK, held: {} }, false],
  ["is not known", undefined, false],
])("what rests for an earlier piece that %s", async (_how, other, merged) => {
  const told: unknown[] = [];
  const journal = { head: () => Promise.resolve(7), get: () => Promise.resolve(other) };
  const run = { append: ({ type, payload }: { type: string; payload: unknown }) => Promise.resolve(told.push([type, payload])) };
  const next = await whileHeld({ store: { journal } } as never, run as never, "p1");
  expect([next, told]).toEqual(
    merged === undefined ? [{ wait: { stream: "pipeline/p1", after: 7 } }, []] : ["again", [["pipeline.released", { merged }]]],
  );
});
