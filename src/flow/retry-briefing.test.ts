import { expect, test } from "vitest";
import { ManualClock } from "../../test/support/manual-clock.ts";
import { fact } from "./gate.ts";
import { returnedWith } from "./retry-briefing.ts";

type Given = Parameters<typeof returnedWith>[0];

/** A first try that came as far as its state says; nothing of it is known beside that. */
async function suggested(state: object, to: string): Promise<string> {
  const request = {
    created: { id: "req_1" },
    createdAt: 0,
    intent: { words: "add loud", constraints: [], criteria: [], revision: 1, said: [] },
    classified: undefined,
  };
  const run = { state: { opened: { id: "pipe_1" }, attempt: 1, tried: [], triedBy: [], built: false, ...state } };
  const event = await returnedWith({ parts: { clock: new ManualClock() }, request, run } as unknown as Given, [fact("it fails")], { to });
  return (event.payload as { briefing: { suggested_approach: string } }).briefing.suggested_approach;
}

test("whoever tries again is told to keep what is there only where something is", async () => {
  const handedIn = { red: {}, built: true, judged: {} };
  expect(await suggested(handedIn, "engineer")).toContain("Keep what works of it");
  expect(await suggested({ red: {} }, "engineer")).toContain("Nothing was handed in");
  expect(await suggested({}, "tester")).toContain("written anew, in a tree without those of before");
});
