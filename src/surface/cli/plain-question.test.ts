import { expect, test } from "vitest";
import { withVerb } from "./goal-words.ts";
import { isPlainQuestion } from "./plain-question.ts";

test.each([
  ["what does mul do?", true],
  ["why does this fail", true],
  ["How are sessions resumed", true],
  ["is withBase wrong for #?", true],
  ["how do I add a flag?", true],
  ["should I remove the cache and use the index?", true],
  ["wo wird getrimmt?", true],
  ["make the tests pass", false],
  ["could you add a test for mul?", false],
  ["why not rename it?", false],
  ["what is wrong with add, fix it", false],
  ["why does add fail and fix it", false],
  ["and is the same wrong for withoutBase? fix both then", false],
  ["when the list is empty, return 0", false],
  ["", false],
])("%j is plainly a question: %s", (text, is) => {
  expect(isPlainQuestion(text)).toBe(is);
});

test.each([
  [["what does mul do?"], ["run", "--question", "what does mul do?"]],
  [
    ["-p", "why does this fail", "-m", "a/b"],
    ["run", "--question", "why does this fail", "-m", "a/b"],
  ],
  [
    ["what does mul do?", "--model=a/b"],
    ["run", "--question", "what does mul do?", "--model=a/b"],
  ],
  [
    ["--", "what", "does", "it", "do?"],
    ["run", "--question", "--", "what", "does", "it", "do?"],
  ],
  ...["-w", "--type=discover", "--no-checks", "--detach"].map((flag) => [
    ["what does mul do?", flag],
    ["exec", "what does mul do?", flag],
  ]),
  [
    ["what does mul do?", "--check", "npm test"],
    ["exec", "what does mul do?", "--check", "npm test"],
  ],
  [
    ["-p", "fix the bug"],
    ["exec", "fix the bug"],
  ],
  ...["-p", "--print"].flatMap((print) => [
    [
      ["-m", "a/b", print, "fix the bug"],
      ["exec", "-m", "a/b", "fix the bug"],
    ],
    [
      ["--model=a/b", print, "why does this fail"],
      ["run", "--question", "--model=a/b", "why does this fail"],
    ],
    [
      ["-m", "a/b", "fix", print],
      ["exec", "-m", "a/b", "fix"],
    ],
    [
      ["fix the bug", print, "-m", "a/b"],
      ["exec", "fix the bug", "-m", "a/b"],
    ],
    [
      [print, "--", "say", print],
      ["exec", "--", "say", print],
    ],
    // Another word's own option, or none of it.
    [
      ["search", print],
      ["search", print],
    ],
    [
      ["serch", print],
      ["serch", print],
    ],
  ]),
  [
    ["exec", "what does mul do?"],
    ["exec", "what does mul do?"],
  ],
])("%j stands for %j", (given, meant) => {
  expect(withVerb(given)).toEqual(meant);
});
