import { expect, test } from "vitest";
import { killRequests } from "./team-boundaries.ts";

test("SIGKILL before or after every append of a request and its pieces: the next process ends it, nothing twice, nothing lost, no tree left", async () => {
  expect(await killRequests((place) => place % 2 === 0)).toBeGreaterThan(30);
});
