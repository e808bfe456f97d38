import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp.ts";
import { settingsToTrust } from "./index.ts";

type ProjectSetting = ReturnType<typeof settingsToTrust>[number];

function settings(text: string): ProjectSetting[] {
  const root = tempDir();
  const file = path.join(root, "config.yaml");
  writeFileSync(file, text);
  return settingsToTrust({ root, file, standing: () => "trusted" });
}
const hashes = (text: string): string[] => settings(text).map(({ hash }) => hash);

test("C2: a yes is to one value under one path: any other value, kind of value or way to write the path is another thing", () => {
  const texts = [
    "a: { b: http://good }",
    "a: { b: http://evil }",
    "a: { b: [http://good] }",
    "a: { b: '1' }",
    "a: { b: 1 }",
    "a: { b: null }",
    "a: { b: {} }",
    "a: { b: [] }",
    "a.b: http://good",
    "a: { 'b.c': 1 }",
    "a: { b: { c: 1 } }",
    "'a.b': { c: 1 }",
    "a: { c: http://good }",
  ];
  const all = texts.flatMap(hashes);
  expect(all).toHaveLength(texts.length);
  expect(new Set(all).size).toBe(texts.length);
});

test("C2: the same value written in another way stays the same thing", () => {
  expect(hashes("a: { b: http://good }")).toEqual(hashes("# note\na:\n  b: 'http://good'\n"));
});

test("C2: names that are more than names to the language are no settings at all", () => {
  const text = "__proto__: { x: 1 }\nconstructor: { prototype: { x: 1 } }\na: { __proto__: { x: 1 }, prototype: 1, b: 2 }\n";
  expect(settings(text).map(({ name }) => name)).toEqual(["a.b"]);
  expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
});
