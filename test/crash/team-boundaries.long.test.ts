import { expect, test } from "vitest";
import { killRequests } from "./team-boundaries.ts";

test("SIGKILL at every fifth place and more between the appends of a request and its pieces: the next process ends it, nothing twice, nothing lost, no tree left", async () => {
  expect(await killRequests((place) => place % 5 === 2 || place % 31 === 13)).toBeGreaterThan(10);
});

test("SIGKILL at a place or two between the appends of a request and its pieces: the next process ends it, nothing twice, nothing lost, no tree left", async () => {
  expect(await killRequests((place) => place % 62 === 44)).toBeGreaterThan(0);
});
