import { expect, test } from "vitest";
import { yieldToLoop } from "../kernel/index.ts";
import { createSeats } from "./seats.ts";

const never = new AbortController().signal;

/** Who sits; each rises when told to. */
function table(limit: number) {
  const seats = createSeats(() => limit);
  const seated: string[] = [];
  const risers = new Map<string, () => void>();
  const ask = (name: string, signal = never): Promise<void> =>
    seats.with(name.charAt(0), signal, () => {
      seated.push(name);
      return new Promise((resolve) => risers.set(name, resolve));
    });
  return { ask, seated, rise: (name: string) => risers.get(name)?.() };
}

test("~SES-072: so many in all, and a free seat goes to the request that has the fewest", async () => {
  const { ask, seated, rise } = table(3);
  for (const name of ["a1", "a2", "a3", "a4", "b1", "c1"]) void ask(name);
  await yieldToLoop();
  expect(seated).toEqual(["a1", "a2", "a3"]);
  rise("a1");
  rise("a2");
  await yieldToLoop();
  expect(seated).toEqual(["a1", "a2", "a3", "b1", "c1"]);
  rise("b1");
  await yieldToLoop();
  expect(seated.at(-1)).toBe("a4");
});

test("who is told to stop keeps nobody from its seat, sitting or waiting", async () => {
  const { ask, seated } = table(1);
  const stop = new AbortController();
  void ask("a1", stop.signal);
  const left = ask("a2", stop.signal);
  void ask("b1");
  await yieldToLoop();
  expect(seated).toEqual(["a1"]);
  stop.abort();
  await expect(left).rejects.toThrow("aborted");
  await yieldToLoop();
  expect(seated).toEqual(["a1", "b1"]);
});
