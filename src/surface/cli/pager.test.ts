import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { tempDir } from "../../../test/support/temp.ts";
import { showPaged } from "./pager.ts";

let shown = "";
const ROWS = 24;
const stdout = { isTTY: process.stdout.isTTY, rows: process.stdout.rows };
const terminal = (isTTY: boolean): void => void Object.assign(process.stdout, { isTTY, rows: ROWS });

beforeEach(() => {
  shown = path.join(tempDir("pager"), "shown");
  terminal(true);
  vi.stubEnv("SYLK_PAGER", `cat > '${shown}'`);
  vi.stubEnv("TERM", "xterm");
});
afterEach(() => {
  vi.unstubAllEnvs();
  Object.assign(process.stdout, stdout);
});

const lines = (count: number): string => Array.from({ length: count }, (_, i) => `line ${i}\n`).join("");
const LONG = lines(100);

test("a long text goes to the pager as it is, once", () => {
  expect(showPaged(LONG)).toBe(true);
  expect(readFileSync(shown, "utf8")).toBe(LONG);
});

test.each([
  ["nobody looks", () => terminal(false)],
  ["the terminal cannot", () => vi.stubEnv("TERM", "dumb")],
  ["the user wants none", () => vi.stubEnv("SYLK_PAGER", "")],
  ["the user wants all at once", () => vi.stubEnv("SYLK_PAGER", "cat")],
])("no pager is started when %s", (_why, set) => {
  // Not the general one instead either.
  vi.stubEnv("PAGER", `cat > '${shown}'`);
  set();
  expect(showPaged(LONG)).toBe(false);
  expect(existsSync(shown)).toBe(false);
});

test("what fits on the screen is not paged; one line more is", () => {
  expect(showPaged(lines(ROWS - 2))).toBe(false);
  expect(existsSync(shown)).toBe(false);
  expect(showPaged(lines(ROWS - 1))).toBe(true);
});

test("the general pager is used when none is named for Sylk, and less is told to end at once and to keep colours", () => {
  vi.stubEnv("SYLK_PAGER", undefined);
  vi.stubEnv("LESS", undefined);
  vi.stubEnv("PAGER", `printf %s "$LESS" > '${shown}'; cat > /dev/null`);
  expect(showPaged(LONG)).toBe(true);
  expect(readFileSync(shown, "utf8")).toBe("FRX");
  vi.stubEnv("LESS", "-S");
  showPaged(LONG);
  expect(readFileSync(shown, "utf8")).toBe("-S");
});

test("a user who leaves before the end has seen it; of a pager that cannot be started it is told", () => {
  vi.stubEnv("SYLK_PAGER", `head -c 5 > '${shown}'`);
  expect(showPaged(lines(200_000))).toBe(true);
  expect(readFileSync(shown, "utf8")).toBe("line ");
  vi.stubEnv("SYLK_PAGER", "false");
  expect(showPaged(LONG)).toBe(true);
  vi.stubEnv("SYLK_PAGER", "no-such-pager-anywhere 2> /dev/null");
  expect(showPaged(LONG)).toBe(false);
  vi.stubEnv("SYLK_PAGER", `'${path.dirname(shown)}' 2> /dev/null`);
  expect(showPaged(LONG)).toBe(false);
});
