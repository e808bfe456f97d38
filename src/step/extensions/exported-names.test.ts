/** What a text offers to others, by its looks. */
import { expect, test } from "vitest";
import { exportedIn, wordsOfName } from "./exported-names.ts";

const names = (file: string, text: string): string[] => exportedIn(file, text).map(({ name, line }) => `${name}:${line}`);

test("~EFF-032: exported functions and classes are found in five languages, private ones and values are not", () => {
  const script =
    "const hidden = () => 1;\nexport async function one() {\n  return 1;\n}\nexport const two = (a) => a;\nexport const three = 3;\nexport default class Four {}\nfunction five() {}\nexport const six: F = async (x) => x;\n";
  expect(names("a.ts", script)).toEqual(["one:2", "two:5", "Four:7", "six:9"]);
  expect(names("a.d.ts", script)).toEqual([]);
  expect(names("a.py", "def one():\n    def inner(): pass\n\ndef _own(): pass\nclass Two:\n    def method(self): pass\n")).toEqual([
    "one:1",
    "Two:5",
  ]);
  expect(names("a.go", "func One() {}\nfunc two() {}\ntype Three struct {}\n")).toEqual(["One:1", "Three:3"]);
  expect(names("a.rs", "pub fn one() {}\nfn two() {}\npub(crate) struct Three;\n")).toEqual(["one:1", "Three:3"]);
  expect(exportedIn("a.ts", script)[0]?.body).toBe("export async function one() {\n  return 1;\n}");
  expect(wordsOfName("parseHTTPDate2")).toEqual(["parse", "http", "date", "2"]);
  expect(wordsOfName("format_date")).toEqual(["format", "date"]);
});
