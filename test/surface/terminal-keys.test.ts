/** Every key of a session by what stands in the input after it, the same in both renderers. */
import { describe, expect, test, vi } from "vitest";
import { KEYS, openHeadlessSession } from "../support/headless-session.ts";
import { script, scriptedProject } from "../support/scripted-project.ts";

vi.setConfig({ testTimeout: 240_000 });

const FILES = { "add.mjs": "export const add = (a, b) => a + b;\n", "src/deep/one.mjs": "1;\n", "src/a name.txt": "a\n" };
const TAB = "\t";

interface Key {
  what: string;
  /** Letters are typed one by one; an entry of several signs that begins with a control sign is one key. */
  typed: readonly string[];
  /** A list that is offered before the first key that is no letter. */
  offers?: RegExp;
  /** What stands between the two rules at the end. */
  stands: string;
}

const TABLE: readonly Key[] = [
  { what: "Tab completes a word with a slash", typed: ["/contex", TAB], offers: /context +what the input of/u, stands: "/context" },
  { what: "the arrows choose among words", typed: ["/co", KEYS.down, TAB], offers: /compact[\s\S]*context/u, stands: "/config" },
  { what: "Tab completes a path", typed: ["look at src/de", TAB], stands: "look at src/deep/" },
  { what: "an at sign completes a file", typed: ["what is @add", TAB], offers: /→ add\.mjs/u, stands: "what is @add.mjs" },
  { what: "a name with a space is quoted", typed: ["see @src/a", TAB], offers: /→ a name\.txt/u, stands: 'see @"src/a name.txt"' },
  {
    what: "what began with a quotation mark is completed inside it",
    typed: ['see @"src/a', TAB],
    offers: /→ a name\.txt/u,
    stands: 'see @"src/a name.txt"',
  },
  {
    what: "a role is completed where it would be asked",
    typed: ["@libr", TAB],
    offers: /→ librarian +ask the librarian/u,
    stands: "@librarian",
  },
  { what: "what was said comes back with the arrow", typed: [KEYS.up], stands: "/compact two" },
  { what: "and further back", typed: [KEYS.up, KEYS.up], stands: "/compact one" },
  { what: "letters are added at its end", typed: [KEYS.up, "!"], stands: "/compact two!" },
  {
    what: "of several lines too, which the arrow goes up first",
    typed: ["\u001b[200~/compact three\nand four\u001b[201~", KEYS.enter, KEYS.up, "!", KEYS.up, "!"],
    stands: "/compact !three\nand four!",
  },
  { what: "down goes forward again", typed: [KEYS.up, KEYS.up, KEYS.down], stands: "/compact two" },
  { what: "Ctrl+A and letters", typed: ["end", "\u0001", "the "], stands: "the end" },
  { what: "Ctrl+W takes a word away", typed: ["one two", "\u0017"], stands: "one" },
  { what: "a paste of some lines stays in the input", typed: ["\u001b[200~one\ntwo\u001b[201~"], stands: "one\ntwo" },
  {
    what: "control signs in a paste do not reach the terminal",
    typed: ["\u001b[200~a\u0007b\u009b31mc\u001b]0;x\u0007\u001b[201~"],
    stands: "ab31mc]0;x",
  },
  {
    what: "bytes that were no text are marks",
    typed: [Buffer.from([0x61, 0xff, 0xc3, 0x28, 0x62]).toString("utf8"), KEYS.left],
    stands: "a��(b",
  },
];

describe.each(["main", "full"] as const)("on the %s screen", (screen) => {
  test.each(TABLE)("$what", async ({ typed, offers, stands }) => {
    const here = scriptedProject(FILES, script([{ name: "complete", input: { summary: "x" } }]));
    await using session = await openHeadlessSession(
      { dir: here.dir, env: { ...here.env, SYLK_TERMINAL_SCREEN: screen } },
      { columns: 80, rows: 40 },
    );
    await session.sees("ready");
    for (const words of ["/compact one", "/compact two"]) {
      session.say(words);
      await session.sees(new RegExp(`› ${words}\\s*\\n[^\\n]*nothing to compact[\\s\\S]*ready$`, "u"));
    }
    const parts = typed.flatMap((part) => (/^\p{C}/u.test(part) ? [part] : Array.from(part)));
    const key = parts.findIndex((part) => /^\p{C}/u.test(part));
    for (const letter of parts.slice(0, key)) session.type(letter);
    if (offers !== undefined) await session.sees(offers);
    for (const part of parts.slice(key)) session.type(part);
    const lines = stands.split("\n").map((line) => `${line.replaceAll(/[$()*+.?[\]^{|}\\]/gu, String.raw`\$&`)}\\s*\\n`);
    await session.sees(new RegExp(`─\\n${lines.join("")}─[\\s\\S]*ready$`, "u"));
    for (const raw of ["\u009b", "\u001b]0;x"]) expect(session.terminal.said).not.toContain(raw);
  });
});

const FULL = { wheelUp: "\u001b[<64;10;5M", wheelDown: "\u001b[<65;10;5M", home: "\u001b[H", end: "\u001b[F", search: "\u001b[102;6u" };

test("a screen of its own scrolls by wheel, Home and End, and Ctrl+Shift+F searches in it", async () => {
  const here = scriptedProject(FILES, script([{ name: "complete", input: { summary: "x" } }]));
  await using session = await openHeadlessSession(
    { dir: here.dir, env: { ...here.env, SYLK_TERMINAL_SCREEN: "full" } },
    { columns: 80, rows: 24 },
  );
  await session.sees("ready");
  session.say("!seq 1 200");
  expect(await session.sees(/\n200\s*\n[\s\S]*ready$/u)).not.toMatch(/^150\s*$/mu);
  session.type(FULL.home);
  await session.sees("Sylk 0.0.0");
  session.type(FULL.end);
  await session.sees(/\n200\s*\n/u);
  for (let i = 0; i < 4; i += 1) session.type(FULL.wheelUp);
  await session.sees(/^1[78]\d\s*$[\s\S]*↓ to the end/mu);
  expect(session.shown()).not.toMatch(/^200\s*$/mu);
  for (let i = 0; i < 20; i += 1) session.type(FULL.wheelDown);
  await session.sees(/\n200\s*\n/u);
  session.type(FULL.search);
  for (const letter of "137") session.type(letter);
  await session.sees(/^137\s*$/mu);
});
