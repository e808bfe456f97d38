import { expect, test } from "vitest";
import { once } from "./once.ts";

test("it is made once for all who need it, and made again when it could not be", async () => {
  let tries = 0;
  const part = once(() => {
    tries += 1;
    return tries === 1 ? Promise.reject(new Error("the disk is full")) : Promise.resolve(tries);
  });
  expect(await part.made()).toBeUndefined();
  const both = await Promise.allSettled([part.get(), part.get()]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect([await part.get(), await part.get(), tries]).toEqual([2, 2, 2]);
});
