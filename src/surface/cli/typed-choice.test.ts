import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { followTyping, pointedAt } from "./typed-choice.ts";

const OPTIONS = [
  { value: "once", label: "allow once", also: ["yes", "allow"] },
  { value: "project", label: "always in this project: this exact line" },
  { value: "deny", label: "deny", also: ["no"] },
  { value: "deny words", label: "deny, and say why" },
];

test("typed text points at a choice by value, label or another word; what fits none, and nothing, at the first cursor", () => {
  const at = (typed: string): string | undefined => OPTIONS[pointedAt(typed, OPTIONS, 2)]?.value;
  expect(["a", "Y", "yes", "allow"].map(at)).toEqual(["once", "once", "once", "once"]);
  expect(["alw", "project"].map(at)).toEqual(["project", "project"]);
  expect(["d", "deny", "n", "", "xyz", "allowed"].map(at)).toEqual(["deny", "deny", "deny", "deny", "deny", "deny"]);
  expect(at("deny,")).toBe("deny words");
});

test("keys move the cursor there; an arrow begins a new word", () => {
  const input = new EventEmitter();
  let cursor = 2;
  const steps: Record<string, number> = { up: -1, down: 1 };
  input.on("keypress", (_text, { name }: { name?: string }) => {
    cursor = (cursor + (steps[name ?? ""] ?? 0) + OPTIONS.length) % OPTIONS.length;
  });
  const type = (word: string): void => word.split("").forEach((letter) => input.emit("keypress", letter, { name: letter }));
  const typing = followTyping(input, OPTIONS, 2);
  type("yes");
  expect(cursor).toBe(0);
  input.emit("keypress", undefined, { name: "up" });
  expect(cursor).toBe(3);
  type("alw");
  expect(cursor).toBe(1);
  input.emit("keypress", "\u007f", { name: "backspace" });
  expect(cursor).toBe(0);
  type("deny");
  expect(cursor).toBe(2);
  typing[Symbol.dispose]();
  type("yes");
  expect(cursor).toBe(2);
});
