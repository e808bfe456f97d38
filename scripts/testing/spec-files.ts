/**
 * What the folder of the spec says about its own requirements: their texts, which of them a user must see,
 * and which are satisfied by something other than a test that carries their ID.
 */
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { z } from "zod";

const id = z.string().regex(/^[A-Z]{3}-\d{3}$/);
const reason = z.string().min(20, "say in a sentence or two why");
const ids = z.array(id).min(1);

const Satisfied = z.strictObject({
  name: z.string().min(1),
  reason,
  /** Numbers of laws in docs/ARCHITECTURE.md. */
  laws: z.array(z.int().min(1).max(10)).default([]),
  /** Titles of tests, without the IDs they open with. */
  tests: z.array(z.string().min(1)).default([]),
  ids,
});

const OtherwiseFile = z.strictObject({
  satisfied: z.array(Satisfied.refine((group) => group.laws.length + group.tests.length > 0, "name a law or a test to look at instead")),
  planned: z.array(z.strictObject({ name: z.string().min(1), reason, instead: z.string().min(10), ids })),
});

export type Otherwise = z.infer<typeof OtherwiseFile>;

const UserSeesFile = z.strictObject({ phrases: z.array(z.string().min(3)), also: z.array(id), except: z.record(id, reason) });

/** A requirement is defined where its ID opens a line: a paragraph, a list item or a table row. */
const DEFINITION = /^\s*(?:-\s+|\|\s*)?(?:\*\*)?([A-Z]{3}-\d{3})\b/;

/** Each requirement's text: its line and what follows, up to the next requirement or heading. */
export function readRequirements(specFolder: string): Map<string, string> {
  const texts = new Map<string, string>();
  for (const name of readdirSync(specFolder).filter((n) => n.endsWith(".md"))) {
    let current: string | undefined;
    for (const line of readFileSync(path.join(specFolder, name), "utf8").split("\n")) {
      current = DEFINITION.exec(line)?.[1] ?? (line.startsWith("#") ? undefined : current);
      if (current !== undefined) texts.set(current, `${texts.get(current) ?? ""}${line}\n`);
    }
  }
  return texts;
}

function readYaml<T>(file: string, schema: z.ZodType<T>): T {
  const read = schema.safeParse(parse(readFileSync(file, "utf8")));
  if (!read.success) throw new Error(`${path.basename(file)} cannot be used:\n${z.prettifyError(read.error)}`);
  return read.data;
}

export function readOtherwise(specFolder: string): Otherwise {
  return readYaml(path.join(specFolder, "otherwise.yaml"), OtherwiseFile);
}

/** The IDs whose text says that a user sees something: found by its phrases, corrected by two lists. */
export function readUserSees(specFolder: string, requirements: ReadonlyMap<string, string>): Set<string> {
  const { phrases, also, except } = readYaml(path.join(specFolder, "user-sees.yaml"), UserSeesFile);
  const found = new Set(also);
  for (const [name, text] of requirements) {
    const words = text.toLowerCase().replaceAll(/\s+/g, " ");
    if (!(name in except) && phrases.some((phrase) => words.includes(phrase))) found.add(name);
  }
  return found;
}
