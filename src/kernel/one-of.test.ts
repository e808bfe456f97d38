import { expect, test } from "vitest";
import { oneOf } from "./one-of.ts";

test("a choice that is not there is refused by a code of its own, with those there are", () => {
  expect(oneOf("--by", "day", ["day", "task"])).toBe("day");
  expect(() => oneOf("--by", "moon", ["day", "task"])).toThrow(
    expect.objectContaining({ code: "USAGE_NOT_ONE_OF", message: "--by cannot be moon", fix: "choose one of day, task" }) as Error,
  );
});
