import { expect, test } from "vitest";
import { killAdded } from "./added-boundaries.ts";

test(
  "SIGKILL at every sixth place between the appends of a request to which words are added: nothing lost, nothing twice, and the words are in the plan once and before everybody who works later",
  { timeout: 3_600_000 },
  async () => {
    expect(await killAdded((place) => place % 6 === 1)).toBeGreaterThan(10);
  },
);
