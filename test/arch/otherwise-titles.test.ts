/** `docs/spec/otherwise.yaml` rests on titles of tests: a renamed one is noticed here, not at the end of a whole run. */
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { readOtherwise } from "../../scripts/testing/spec-files.ts";

const ROOT = path.join(import.meta.dirname, "../..");

test("every title that a requirement rests on stands in a test", () => {
  const sources = ["src", "test"]
    .flatMap((folder) => readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) => path.join(folder, name)))
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(path.join(ROOT, name), "utf8"))
    .join("\n");
  // A title made of a table's rows stands there up to what differs.
  const stands = (title: string): boolean =>
    [title, title.slice(0, title.lastIndexOf(": ") + 1)].some((part) => part !== "" && sources.includes(part));
  const titles = readOtherwise(path.join(ROOT, "docs/spec")).satisfied.flatMap(({ tests }) => tests);
  expect(titles.length).toBeGreaterThan(50);
  expect(titles.filter((title) => !stands(title.replaceAll('"', String.raw`\"`)) && !stands(title))).toEqual([]);
});
