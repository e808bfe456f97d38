/** Random three-way edits of small texts, with the result computed from the data instead of the text. */
import fc from "fast-check";
import { expect } from "vitest";
import { mergeText } from "../../src/code/merge/merge-text.ts";
import { mergeLines } from "./merge-lines.ts";

type Data = { [key: string]: number };

/** What the merge of three flat objects must be; undefined where a key was changed two ways. */
function mergeData(base: Data, ours: Data, theirs: Data): Data | undefined {
  const out: Data = {};
  for (const key of new Set([...Object.keys(base), ...Object.keys(ours), ...Object.keys(theirs)])) {
    const [b, o, t] = [base[key], ours[key], theirs[key]];
    const value = o === t ? o : o === b ? t : t === b ? o : "conflict";
    if (value === "conflict") return undefined;
    if (value !== undefined) out[key] = value;
  }
  return out;
}

const names = fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h");
const edits = fc.array(fc.tuple(names, fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined })), { maxLength: 3 });
const versions = fc
  .tuple(fc.dictionary(names, fc.integer({ min: 0, max: 9 }), { maxKeys: 6, noNullPrototype: true }), edits, edits)
  .map(([base, mine, other]) => {
    const changed = (list: [string, number | undefined][]): Data => {
      const out = { ...base };
      for (const [name, value] of list) {
        if (value === undefined) delete out[name];
        else out[name] = value;
      }
      return out;
    };
    return { base, ours: changed(mine), theirs: changed(other) };
  });

/** Enough of its own that no function is taken for another one, renamed. */
const own = (name: string): string => `${name}1(${name}2, ${name}3, ${name}4, ${name}5, ${name}6, ${name}7, ${name}8, ${name}9)`;

const FUNCTION: Record<string, (name: string, body: number) => string> = {
  ts: (name, body) => `function ${name}() {\n  ${own(name)};\n  return ${body};\n}\n`,
  py: (name, body) => `def ${name}():\n    ${own(name)}\n    return ${body}\n`,
  go: (name, body) => `func ${name}() int {\n\t${own(name)}\n\treturn ${body}\n}\n`,
  rs: (name, body) => `fn ${name}() -> i64 {\n    ${own(name)};\n    return ${body};\n}\n`,
};

const versionsText = (value: Data, language: string): string => {
  const write = FUNCTION[language] as (name: string, body: number) => string;
  return (
    (language === "go" ? "package x\n\n" : "") +
    Object.entries(value)
      .map(([name, body]) => write(name, body))
      .join("\n")
  );
};

/** Merges random flat JSON objects; a clean merge must have exactly the keys and values of both changes. */
export async function mergeRandomObjects(runs: number): Promise<{ clean: number }> {
  let clean = 0;
  await fc.assert(
    fc.asyncProperty(versions, fc.boolean(), async ({ base, ours, theirs }, spread) => {
      const text = (value: Data): string => `${JSON.stringify(value, null, spread ? 2 : undefined)}\n`;
      const result = await mergeText({ path: "a.json", base: text(base), ours: text(ours), theirs: text(theirs) }, mergeLines);
      clean += result.kind === "merged" ? 1 : 0;
      const got: unknown = result.kind === "merged" ? JSON.parse(result.text) : "conflict";
      expect(["conflict", mergeData(base, ours, theirs)]).toContainEqual(got);
    }),
    { numRuns: runs },
  );
  return { clean };
}

/** Merges random sets of functions in four languages; a clean merge must have exactly the functions of both changes. */
export async function mergeRandomFunctions(runs: number): Promise<{ clean: number }> {
  let clean = 0;
  const sorted = (list: unknown[][]): string[] => list.map(String).toSorted((x, y) => x.localeCompare(y));
  await fc.assert(
    fc.asyncProperty(versions, fc.constantFrom("ts", "py", "go", "rs"), async ({ base, ours, theirs }, language) => {
      const [b, o, t] = [base, ours, theirs].map((value) => versionsText(value, language)) as [string, string, string];
      const result = await mergeText({ path: `a.${language}`, base: b, ours: o, theirs: t }, mergeLines);
      clean += result.kind === "merged" ? 1 : 0;
      const text = result.kind === "merged" ? result.text : "";
      const found = [...text.matchAll(/(?:function|def|func|fn) (\w)\(\)[\s\S]*?return (\d)/gu)].map((match) => [
        match[1],
        Number(match[2]),
      ]);
      const expected = mergeData(base, ours, theirs);
      expect(sorted(found)).toEqual(sorted(result.kind === "conflict" ? [] : Object.entries(expected ?? { "a conflict": 0 })));
    }),
    { numRuns: runs },
  );
  return { clean };
}
