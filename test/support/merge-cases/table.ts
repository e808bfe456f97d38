/**
 * Small texts in ten languages times edits of both sides. What the merge must be follows from the
 * edits alone: a text is a list of parts, so the right result is the list with both edits, written
 * down. `merged: undefined`: only a person may decide. `may`: right as it is, but a conflict will do.
 */
import type { MergeScenario } from "../merge-scenarios.ts";

export interface TableCase extends MergeScenario {
  /** A conflict is not wrong here, only less helpful. */
  may: boolean;
}

/** The parts of a text: a name, what it says, and a note on it. */
interface Part {
  name: string;
  value: string;
  note?: string;
  tail?: string;
}

/** How a list of parts is written in a language. */
interface Writer {
  file: string;
  what: string;
  write(parts: readonly Part[]): string;
  /** The order of its parts says nothing. */
  set: boolean;
  /** Merged by lines only, so that edits of one place are always in dispute. */
  lines?: boolean;
  /** Notes can be written. */
  notes: boolean;
  /** A part has nothing but its value: two of one name are two parts. */
  nameless?: boolean;
}

const withNotes =
  (mark: string, one: (part: Part) => string, gap = "\n") =>
  (parts: readonly Part[]): string =>
    parts
      .map(
        (part) =>
          `${part.note === undefined ? "" : `${mark} ${part.note}\n`}${one(part)}${part.tail === undefined ? "" : ` ${mark} ${part.tail}`}\n`,
      )
      .join(gap);

const wrapped = (head: string, foot: string, indent: string, write: (parts: readonly Part[]) => string) => (parts: readonly Part[]) =>
  head + write(parts).replaceAll(/^(?=.)/gmu, indent) + foot;

/** Whole definitions. */
const definitions: readonly Writer[] = [
  {
    file: "a.ts",
    what: "functions",
    set: true,
    notes: true,
    write: withNotes("//", ({ name, value }) => `export function ${name}(): number {\n  start("${name}");\n  return ${value};\n}`),
  },
  { file: "a.js", what: "constants", set: true, notes: true, write: withNotes("//", ({ name, value }) => `const ${name} = ${value};`, "") },
  {
    file: "a.py",
    what: "functions",
    set: true,
    notes: true,
    write: withNotes("#", ({ name, value }) => `def ${name}():\n    start("${name}")\n    return ${value}`, "\n\n"),
  },
  {
    file: "a.go",
    what: "functions",
    set: true,
    notes: true,
    write: wrapped(
      "package a\n\n",
      "",
      "",
      withNotes("//", ({ name, value }) => `func ${name}() int {\n\tstart("${name}")\n\treturn ${value}\n}`),
    ),
  },
  {
    file: "a.rs",
    what: "functions",
    set: true,
    notes: true,
    write: withNotes("//", ({ name, value }) => `fn ${name}() -> u8 {\n    start("${name}");\n    ${value}\n}`),
  },
  {
    file: "A.java",
    what: "methods",
    set: true,
    notes: true,
    write: wrapped(
      "class A {\n",
      "}\n",
      "  ",
      withNotes("//", ({ name, value }) => `int ${name}() {\n  start("${name}");\n  return ${value};\n}`),
    ),
  },
  {
    file: "a.json",
    what: "keys",
    set: true,
    notes: false,
    write: (parts) => `${JSON.stringify(Object.fromEntries(parts.map(({ name, value }) => [name, Number(value)])), null, 2)}\n`,
  },
  {
    file: "a.jsonc",
    what: "keys",
    set: true,
    notes: true,
    write: wrapped(
      "{\n",
      "}\n",
      "  ",
      withNotes("//", ({ name, value }) => `"${name}": { "is": ${value} },`, ""),
    ),
  },
  {
    file: "a.yaml",
    what: "keys",
    set: true,
    lines: true,
    notes: true,
    write: withNotes("#", ({ name, value }) => `${name}:\n  is: ${value}`, ""),
  },
  {
    file: "a.toml",
    what: "tables",
    set: true,
    lines: true,
    notes: true,
    write: withNotes("#", ({ name, value }) => `[${name}]\nis = ${value}`),
  },
  { file: "a.md", what: "sections", set: true, notes: false, write: withNotes("", ({ name, value }) => `## ${name}\n\nIt is ${value}.`) },
];

const list = (open: string, close: string, one: (part: Part) => string) => (parts: readonly Part[]) =>
  `${open}${parts.map(one).join(", ")}${close}`;
const tall = (open: string, close: string, one: (part: Part) => string) => (parts: readonly Part[]) =>
  `${open}\n${parts.map((part) => `  ${one(part)},\n`).join("")}${close}`;
const word = ({ value }: Part): string => `"${value}"`;

/** Sequences: what comes first matters. */
const sequences: readonly Writer[] = (
  [
    ["a.ts", "const l = [", "];\n"],
    ["a.js", "run([", "]);\n"],
    ["a.py", "l = [", "]\n"],
    ["a.go", "package a\n\nvar l = []string{", "}\n"],
    ["a.rs", "const L: &[&str] = &[", "];\n"],
    ["A.java", "class A {\n  String[] l = {", "};\n}\n"],
    ["a.jsonc", '{ "l": [', "] }\n"],
    ["a.toml", "l = [", "]\n"],
  ] as const
).flatMap(([file, open, close]) =>
  [list, tall].map((shape) => ({
    file,
    what: `${shape === list ? "flat" : "tall"} sequence`,
    set: false,
    notes: false,
    nameless: true,
    lines: file.endsWith("toml"),
    write: shape(open, close, word),
  })),
);

/** Sets inside of something: keys and members. */
const sets: readonly Writer[] = [
  ...[list, tall].flatMap((shape): Writer[] => [
    {
      file: "a.ts",
      what: "object",
      set: true,
      notes: false,
      write: shape("const o = { ".trimEnd(), "};\n", ({ name, value }) => `${name}: ${value}`),
    },
    { file: "a.py", what: "dictionary", set: true, notes: false, write: shape("d = {", "}\n", ({ name, value }) => `"${name}": ${value}`) },
    {
      file: "a.go",
      what: "map",
      set: true,
      notes: false,
      write: shape("package a\n\nvar m = map[string]int{", "}\n", ({ name, value }) => `"${name}": ${value}`),
    },
    {
      file: "a.rs",
      what: "named fields",
      set: true,
      notes: false,
      write: shape("const C: S = S {", "};\n", ({ name, value }) => `${name}: ${value}`),
    },
    {
      file: "a.jsonc",
      what: "object",
      set: true,
      notes: false,
      write: shape('{ "o": {', "} }\n", ({ name, value }) => `"${name}": ${value}`),
    },
  ]),
  {
    file: "a.ts",
    what: "interface",
    set: true,
    notes: true,
    write: wrapped(
      "interface I {\n",
      "}\n",
      "  ",
      withNotes("//", ({ name, value }) => `${name}: T${value};`, ""),
    ),
  },
  {
    file: "A.java",
    what: "fields",
    set: true,
    notes: true,
    write: wrapped(
      "class A {\n",
      "}\n",
      "  ",
      withNotes("//", ({ name, value }) => `int ${name} = ${value};`, ""),
    ),
  },
  {
    file: "a.go",
    what: "struct",
    set: true,
    notes: true,
    write: wrapped(
      "package a\n\ntype S struct {\n",
      "}\n",
      "\t",
      withNotes("//", ({ name, value }) => `${name} T${value}`, ""),
    ),
  },
  {
    file: "a.rs",
    what: "struct",
    set: true,
    notes: true,
    write: wrapped(
      "struct S {\n",
      "}\n",
      "    ",
      withNotes("//", ({ name, value }) => `${name}: T${value},`, ""),
    ),
  },
  {
    file: "a.yaml",
    what: "map",
    set: true,
    lines: true,
    notes: true,
    write: wrapped(
      "m:\n",
      "",
      "  ",
      withNotes("#", ({ name, value }) => `${name}: ${value}`, ""),
    ),
  },
];

type Edit = (parts: readonly Part[]) => Part[];

const part = (name: string, value: string): Part => ({ name, value });
const change =
  (name: string, value: string): Edit =>
  (parts) =>
    parts.map((one) => (one.name === name ? { ...one, value } : one));
const drop =
  (name: string): Edit =>
  (parts) =>
    parts.filter((one) => one.name !== name);
const after =
  (name: string | undefined, added: Part): Edit =>
  (parts) =>
    parts.toSpliced(name === undefined ? 0 : parts.findIndex((one) => one.name === name) + 1, 0, added);
const append =
  (added: Part): Edit =>
  (parts) => [...parts, added];
const first =
  (name: string): Edit =>
  (parts) => [...parts.filter((one) => one.name === name), ...parts.filter((one) => one.name !== name)];
const note =
  (name: string, text: string): Edit =>
  (parts) =>
    parts.map((one) => (one.name === name ? { ...one, note: text } : one));

const nothing: Edit = (parts) => [...parts];
const both =
  (...edits: readonly Edit[]): Edit =>
  (parts) =>
    edits.reduce((now, edit) => edit(now), [...parts]);

interface Row {
  name: string;
  ours: Edit;
  theirs: Edit;
  /** Undefined: a dispute, whatever the list. */
  merged: Edit | undefined;
  /** Only where the order says nothing; elsewhere a dispute. */
  onlySets?: boolean;
  /** Both edits are beside each other: lines alone do not do. */
  close?: boolean;
  notes?: boolean;
  /** Not where parts have no names. */
  named?: boolean;
}

const ROWS: readonly Row[] = [
  {
    name: "far parts changed",
    ours: change("aa", "101"),
    theirs: change("ee", "105"),
    merged: both(change("aa", "101"), change("ee", "105")),
    close: true,
  },
  {
    name: "neighbours changed",
    ours: change("bb", "102"),
    theirs: change("cc", "103"),
    merged: both(change("bb", "102"), change("cc", "103")),
    close: true,
  },
  { name: "one part changed two ways", ours: change("cc", "103"), theirs: change("cc", "203"), merged: undefined },
  { name: "one part changed in one way by both", ours: change("cc", "103"), theirs: change("cc", "103"), merged: change("cc", "103") },
  { name: "changed and deleted", ours: drop("cc"), theirs: change("cc", "103"), merged: undefined },
  { name: "deleted and changed", ours: change("cc", "103"), theirs: drop("cc"), merged: undefined },
  {
    name: "one deleted, a far one changed",
    ours: drop("aa"),
    theirs: change("ee", "105"),
    merged: both(drop("aa"), change("ee", "105")),
    close: true,
  },
  { name: "two deleted", ours: drop("aa"), theirs: drop("dd"), merged: both(drop("aa"), drop("dd")), close: true },
  {
    name: "one deleted by both, a far one changed",
    ours: drop("aa"),
    theirs: both(drop("aa"), change("ee", "105")),
    merged: both(drop("aa"), change("ee", "105")),
    close: true,
  },
  {
    name: "one added at the end, the first changed",
    ours: append(part("xx", "7")),
    theirs: change("aa", "101"),
    merged: both(append(part("xx", "7")), change("aa", "101")),
    close: true,
  },
  {
    name: "one added far from another",
    ours: after("aa", part("xx", "7")),
    theirs: after("dd", part("yy", "8")),
    merged: both(after("aa", part("xx", "7")), after("dd", part("yy", "8"))),
    close: true,
  },
  {
    name: "both add at the end",
    ours: append(part("zz", "7")),
    theirs: append(part("yy", "8")),
    merged: both(append(part("yy", "8")), append(part("zz", "7"))),
    onlySets: true,
    close: true,
  },
  {
    name: "both add in the middle",
    ours: after("bb", part("xx", "7")),
    theirs: after("bb", part("yy", "8")),
    merged: both(after("bb", part("xx", "7")), after("bb", part("yy", "8"))),
    onlySets: true,
    close: true,
  },
  { name: "both add the same", ours: append(part("xx", "7")), theirs: append(part("xx", "7")), merged: append(part("xx", "7")) },
  { name: "both add one name, with two values", ours: append(part("xx", "7")), theirs: append(part("xx", "8")), merged: undefined },
  {
    name: "one name added at two places with two values",
    ours: after("aa", part("xx", "7")),
    theirs: after("dd", part("xx", "8")),
    merged: undefined,
    named: true,
  },
  { name: "one moved to the front, another deleted", ours: first("bb"), theirs: drop("bb"), merged: undefined },
  {
    name: "one moved to the front, another changed",
    ours: first("dd"),
    theirs: change("bb", "102"),
    merged: both(first("dd"), change("bb", "102")),
    close: true,
  },
  { name: "two moved to the front", ours: first("dd"), theirs: first("cc"), merged: undefined },
  { name: "a note on what the other deleted", ours: drop("cc"), theirs: note("cc", "needed"), merged: undefined, notes: true },
  { name: "what has a new note deleted", ours: note("cc", "needed"), theirs: drop("cc"), merged: undefined, notes: true },
  {
    name: "a note, and a far change",
    ours: note("aa", "needed"),
    theirs: change("ee", "105"),
    merged: both(note("aa", "needed"), change("ee", "105")),
    notes: true,
    close: true,
  },
  { name: "two notes on one part", ours: note("cc", "one"), theirs: note("cc", "two"), merged: undefined, notes: true },
  {
    name: "a note on what the other changed",
    ours: note("cc", "needed"),
    theirs: change("cc", "103"),
    merged: both(note("cc", "needed"), change("cc", "103")),
    notes: true,
    close: true,
  },
  {
    name: "only one side changed something",
    ours: both(drop("aa"), append(part("xx", "7"))),
    theirs: nothing,
    merged: both(drop("aa"), append(part("xx", "7"))),
  },
];

const PARTS: readonly Part[] = ["aa", "bb", "cc", "dd", "ee"].map((name, i) => part(name, String(i + 1)));

function caseOf(writer: Writer, row: Row): TableCase[] {
  if ((row.notes === true && !writer.notes) || (row.named === true && writer.nameless === true)) return [];
  const disputed = row.onlySets === true && !writer.set;
  const merged = row.merged === undefined || disputed ? undefined : writer.write(row.merged(PARTS));
  const [ours, theirs] = [writer.write(row.ours(PARTS)), writer.write(row.theirs(PARTS))];
  // A sequence on which both sides work may always be a dispute; so may neighbouring lines.
  const may = row.close === true && (writer.lines === true || writer.nameless === true || row.onlySets === true || /moved/u.test(row.name));
  return [{ name: `${writer.what}: ${row.name}`, file: writer.file, base: writer.write(PARTS), ours, theirs, merged, may }];
}

export const MERGE_TABLE: readonly TableCase[] = [...definitions, ...sequences, ...sets].flatMap((writer) =>
  ROWS.flatMap((row) => caseOf(writer, row)),
);
