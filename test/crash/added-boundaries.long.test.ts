import { expect, test } from "vitest";
import { killAdded } from "./added-boundaries.ts";

test(
  "SIGKILL at every sixth place between the appends of a request to which words are added: nothing lost, nothing twice, and the words are in the plan once and before everybody who works later",
  { timeout: 3_600_000 },
  async () => {
    expect(await killAdded((place) => place % 6 === 1)).toBeGreaterThan(10);
  },
);

test("SIGKILL at a place or two of a request to which words are added: the next process ends it, and the words are in the plan once and before everybody who works later", async () => {
  expect(await killAdded((place) => place % 70 === 41)).toBeGreaterThan(0);
});
