/**
 * Sorts every requirement of the spec into proved, touched, satisfied otherwise and open, from the IDs
 * that open test titles. `SEC-011: …` claims the whole requirement, for this test alone or together with the
 * others that carry it so; `~SEC-011: …` claims a part. An ID in the title of a `describe` is claimed by the
 * tests inside. What the user must see is proved only where a user could see it: a claim from elsewhere
 * counts as a part.
 */
import path from "node:path";
import type { TestResult } from "./report.ts";
import type { Otherwise } from "./spec-files.ts";

export type Standing = "proved" | "touched" | "otherwise" | "open";

export interface Claim {
  id: string;
  part: boolean;
}

type Counts = Record<Standing, string[]>;

export interface PrefixTrace extends Counts {
  prefix: string;
  total: number;
}

export interface Trace {
  prefixes: PrefixTrace[];
  total: number;
  counts: Record<Standing, number>;
  /** Open ones that a simpler shape will carry; `docs/spec/otherwise.yaml` says which. */
  planned: number;
  /** Anything that makes the counts untrue: unknown IDs, stale or unfounded entries. */
  problems: string[];
}

export interface TraceInput {
  defined: ReadonlySet<string>;
  results: readonly TestResult[];
  otherwise: Otherwise;
  /** What a user must see: proved only by a test in one of `SEEN_IN`. */
  seen: ReadonlySet<string>;
}

const SEEN_IN = /(?:^|[\\/])test[\\/](?:surface|flow|hostile)[\\/]/;
/** IDs, and codes of findings (`H7`) among them, which claim nothing. */
const OPENING = /^(?:~?[A-Z]{3}-\d{3}|[A-Z]\d{1,2})(?:[\s,]+(?:~?[A-Z]{3}-\d{3}|[A-Z]\d{1,2}))*(?=\s*:)/;

/** `ERR-001 ~ERR-009: …` → the whole of one, a part of the other; none when the title opens otherwise. */
export function claimsOf(title: string): Claim[] {
  const names = OPENING.exec(title)?.[0].split(/[\s,]+/) ?? [];
  return names.filter((name) => name.includes("-")).map((name) => ({ id: name.replace("~", ""), part: name.startsWith("~") }));
}

/** A title without the IDs it opens with, so that a reference to it survives a change of claims. */
function plainTitle(title: string): string {
  return title.replace(OPENING, "").replace(/^\s*:\s*/, "");
}

interface Claims {
  whole: Set<string>;
  part: Set<string>;
  failed: Set<string>;
  problems: string[];
}

function collectClaims({ defined, results, seen }: TraceInput): Claims {
  const claims: Claims = { whole: new Set(), part: new Set(), failed: new Set(), problems: [] };
  for (const { title, groups, file, status } of results) {
    for (const { id, part } of [...groups, title].flatMap(claimsOf)) {
      if (!defined.has(id)) claims.problems.push(`unknown requirement ${id} in "${title}" (${path.basename(file)})`);
      else if (status === "failed") claims.failed.add(id);
      else if (status === "passed") (part || (seen.has(id) && !SEEN_IN.test(file)) ? claims.part : claims.whole).add(id);
    }
  }
  return claims;
}

function judgeOtherwise({ defined, results, otherwise, seen }: TraceInput, proved: ReadonlySet<string>): string[] {
  const passing = new Set(results.filter((r) => r.status === "passed").flatMap((r) => [...r.groups, r.title].map(plainTitle)));
  const where = new Map<string, string>();
  const problems: string[] = [];
  for (const id of seen) if (!defined.has(id)) problems.push(`user-sees.yaml names ${id}, which the spec does not define`);
  for (const group of [...otherwise.satisfied, ...otherwise.planned]) {
    for (const id of group.ids) {
      if (!defined.has(id)) problems.push(`otherwise.yaml names ${id} (${group.name}), which the spec does not define`);
      if (proved.has(id)) problems.push(`otherwise.yaml names ${id} (${group.name}), which a test proves: take it out of one of them`);
      const other = where.get(id);
      if (other !== undefined) problems.push(`otherwise.yaml names ${id} twice (${other}, ${group.name})`);
      where.set(id, group.name);
    }
  }
  for (const { name, tests } of otherwise.satisfied) {
    for (const title of tests)
      if (!passing.has(title)) problems.push(`otherwise.yaml (${name}) rests on a test that did not pass or is gone: "${title}"`);
  }
  return problems;
}

/** A requirement stands where its best claim puts it; one that a failing test names is open. */
export function traceRequirements(input: TraceInput): Trace {
  const { defined, otherwise } = input;
  const claims = collectClaims(input);
  const satisfied = new Set(otherwise.satisfied.flatMap((group) => group.ids));
  const planned = new Set(otherwise.planned.flatMap((group) => group.ids));
  const standingOf = (id: string): Standing => {
    if (claims.failed.has(id)) return "open";
    if (claims.whole.has(id)) return "proved";
    if (satisfied.has(id)) return "otherwise";
    return claims.part.has(id) ? "touched" : "open";
  };
  const prefixes = new Map<string, PrefixTrace>();
  const counts = { proved: 0, touched: 0, otherwise: 0, open: 0 };
  const proved = new Set<string>();
  let openAndPlanned = 0;
  for (const id of [...defined].sort()) {
    const prefix = id.slice(0, 3);
    const row = prefixes.get(prefix) ?? { prefix, total: 0, proved: [], touched: [], otherwise: [], open: [] };
    const standing = standingOf(id);
    row.total += 1;
    row[standing].push(id);
    counts[standing] += 1;
    if (standing === "proved") proved.add(id);
    if (standing === "open" && planned.has(id)) openAndPlanned += 1;
    prefixes.set(prefix, row);
  }
  const problems = [...claims.problems, ...judgeOtherwise(input, proved)];
  return { prefixes: [...prefixes.values()], total: defined.size, counts, planned: openAndPlanned, problems };
}
