import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { cursorOf, followTyping, pointedAt } from "./typed-choice.ts";

const OPTIONS = [
  { value: "once", label: "allow once", also: ["yes", "allow"] },
  { value: "project", label: "always in this project: this exact line" },
  { value: "deny", label: "deny", also: ["no"], tab: "deny words" },
];

function list(
  initial: number,
  unknown = initial,
): {
  type(word: string): void;
  press(name: string): void;
  entered(): number;
  tabbed(): string | undefined;
  chosen(): string | undefined;
  close(): void;
} {
  const input = new EventEmitter();
  let cursor = initial;
  let entered = 0;
  const steps: Record<string, number> = { up: -1, down: 1 };
  input.on("keypress", (_text, { name }: { name?: string }) => {
    if (name === "return") entered += 1;
    cursor = (cursor + (steps[name ?? ""] ?? 0) + OPTIONS.length) % OPTIONS.length;
  });
  const typing = followTyping(input, OPTIONS, { initial, unknown });
  return {
    type: (word) => word.split("").forEach((letter) => input.emit("keypress", letter, { name: letter })),
    press: (name) => void input.emit("keypress", undefined, { name }),
    entered: () => entered,
    tabbed: () => typing.tabbed,
    chosen: () => OPTIONS[cursor]?.value,
    close: () => typing[Symbol.dispose](),
  };
}

test("typed text points at a choice by value, label or another word; what fits none, and nothing, at the first cursor", () => {
  const at = (typed: string): string | undefined => {
    const here = list(2);
    here.type(typed);
    return here.chosen();
  };
  expect(["a", "Y", "yes", "allow"].map(at)).toEqual(["once", "once", "once", "once"]);
  expect(["alw", "project"].map(at)).toEqual(["project", "project"]);
  expect(["d", "deny", "n", "", "xyz", "allowed"].map(at)).toEqual(["deny", "deny", "deny", "deny", "deny", "deny"]);
});

test("an arrow begins a new word, and a letter can be taken back", () => {
  const here = list(2);
  here.type("yes");
  expect(here.chosen()).toBe("once");
  here.press("up");
  expect(here.chosen()).toBe("deny");
  here.type("alw");
  expect(here.chosen()).toBe("project");
  here.press("backspace");
  expect(here.chosen()).toBe("once");
  here.type("deny");
  expect(here.chosen()).toBe("deny");
  here.close();
  here.type("yes");
  expect(here.chosen()).toBe("deny");
});

test("Tab chooses what an answer has for it, and nothing where it has none", () => {
  const here = list(0);
  here.press("tab");
  expect([here.entered(), here.tabbed()]).toEqual([0, undefined]);
  here.type("no");
  here.press("tab");
  expect([here.entered(), here.tabbed()]).toEqual([1, "deny words"]);
});

test("where the cursor stands at a yes, words that fit nothing point at the no", () => {
  const here = list(0, 2);
  expect(here.chosen()).toBe("once");
  here.type("xyz");
  expect(here.chosen()).toBe("deny");
});

test("the cursor begins at what is given, else at the first; words that fit nothing point at their own place, else where it began", () => {
  expect(cursorOf(OPTIONS, { initial: "project", unknown: "deny" })).toEqual({ initial: 1, unknown: 2 });
  expect(cursorOf(OPTIONS, { unknown: "deny" })).toEqual({ initial: 0, unknown: 2 });
  expect(cursorOf(OPTIONS, { initial: "deny" })).toEqual({ initial: 2, unknown: 2 });
  const stands = { initial: 0, unknown: 2 };
  expect(["", " ", "xyz", "alw"].map((typed) => pointedAt(typed, OPTIONS, stands))).toEqual([0, 0, 2, 1]);
});
