/** Two connections, as two processes would have them, in random order: the outcome equals a simple model. */
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { SylkError } from "../../src/kernel/index.ts";
import { type Store, type View, sqliteDriver } from "../../src/journal/index.ts";
import { noted } from "../contract/noted-event.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { tempDir } from "../support/temp.ts";
import { agentActor } from "../../src/protocol/events/index.ts";

const seen: View<{ texts: string[] }> = {
  name: "interleaving.seen",
  version: 1,
  key: (event) => event.stream,
  reduce: (state, event) => ({ texts: [...(state?.texts ?? []), (event.payload as { text: string }).text] }),
};

const command = fc.record({
  who: fc.constantFrom(0, 1),
  stream: fc.constantFrom("a", "b/1", "b/2"),
  /** How far off the expected sequence is: 0 is right. */
  off: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(-1, 1) }),
  texts: fc.array(fc.string({ unit: "grapheme" }), { minLength: 1, maxLength: 4 }),
  /** Run together with the next command, without waiting. */
  together: fc.boolean(),
});

test("random appends from two sides: conflicts exactly where a model says, order kept, views exact, chain whole", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 25 }), async (commands) => {
      const file = path.join(tempDir(), "sylk.db");
      const clock = new ManualClock();
      const open = (): Promise<Store> => sqliteDriver.open({ path: file, clock, durability: "process", views: [seen] });
      const sides = [await open(), await open()];
      const model = new Map<string, string[]>();
      let waiting: Promise<unknown>[] = [];
      const refusals: boolean[] = [];
      for (const { who, stream, off, texts, together } of commands) {
        const known = model.get(stream) ?? [];
        const events = texts.map((text) => noted.create({ text: text.toWellFormed() }, { actor: agentActor("t") }));
        const append = (sides[who] as Store).journal.append(stream, known.length + off, events);
        if (off === 0 && waiting.length === 0 && !together) {
          await append;
          model.set(stream, [...known, ...texts.map((text) => text.toWellFormed())]);
        } else {
          waiting.push(
            append.then(
              (written) =>
                model.set(stream, [...(model.get(stream) ?? []), ...written.map((event) => (event.payload as { text: string }).text)]),
              (error: unknown) => void refusals.push(SylkError.is(error, "JOURNAL_CONFLICT")),
            ),
          );
          if (!together) {
            await Promise.all(waiting);
            waiting = [];
          }
        }
      }
      await Promise.all(waiting);
      expect(refusals.every((conflict) => conflict)).toBe(true);
      for (const [stream, texts] of model) {
        expect((await (sides[0] as Store).journal.read(stream)).map((event) => (event.payload as { text: string }).text)).toEqual(texts);
        expect((await (sides[1] as Store).journal.get(seen, stream))?.texts ?? []).toEqual(texts);
      }
      expect((await (sides[0] as Store).admin.verify()).valid).toBe(true);
      for (const side of sides) await side.close();
    }),
    { numRuns: 60 },
  );
});
