import { expect, test } from "vitest";
import { briefOf } from "./brief.ts";

test("who builds a part hears that others build the rest; who builds all of it does not", () => {
  const node = { id: "n1", title: "loud", goal: "add loud", assertions: [], after: [], files: [] };
  const intent = { words: "add two", constraints: [], criteria: [], revision: 1, said: [] };
  const told = (isAll: boolean): string => briefOf(intent, { ...node, isAll }, []).inputs["your part of it"] ?? "";
  expect([told(false), told(true)].map((text) => text.includes("built by others"))).toEqual([true, false]);
  expect(told(true)).toBe("loud\nadd loud");
});
