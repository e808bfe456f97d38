/**
 * Looks at what a model says before it becomes history (MIT-001…007): claims about the code are checked
 * against the code. Nothing is rejected; what cannot be shown stays marked as unverified.
 */
import type { DatabaseSync } from "node:sqlite";
import { filesMentioning } from "../store/files-mentioning.ts";

export interface Claim {
  type: "uses" | "implements" | "location";
  subject: string;
  object: string;
  text: string;
}

export interface Verdict {
  verified: boolean;
  verification: "against_code" | "none";
  confidence: number;
  warnings: string[];
  contradictions: string[];
  /** Paths that support it. */
  sources: string[];
}

const FORMS: readonly { type: Claim["type"]; pattern: RegExp }[] = [
  { type: "uses", pattern: /\bwe use ([\w.@/-]+(?: [\w.@/-]+)?) for ([\w -]{2,60})/giu },
  { type: "implements", pattern: /\b([A-Za-z_$][\w$]*) implements ([A-Za-z_$][\w$]*)/gu },
  { type: "location", pattern: /\bthe ([\w$ -]{2,40}?) (?:is|are|lives) in ([\w@./-]+)/giu },
];

function findClaims(text: string): Claim[] {
  return FORMS.flatMap(({ type, pattern }) =>
    [...text.matchAll(pattern)].map((match) => ({
      type,
      subject: (match[1] as string).trim(),
      object: (match[2] as string).trim().replace(/\.$/u, ""),
      text: match[0],
    })),
  );
}

/** A thing is looked for in so many files that mention it. */
const MANY_FILES = 500;
const FACTORS = { unsupported: 0.5, missingFile: 0.8, history: 0.7, enough: 0.8 };

export function verifyEntry(db: DatabaseSync, entry: { content: string; files: readonly string[] }): Verdict {
  const verdict: Verdict = { verified: false, verification: "none", confidence: 1, warnings: [], contradictions: [], sources: [] };
  const claims = findClaims(entry.content);
  let supported = 0;
  for (const claim of claims) {
    const where = supporting(db, claim);
    if (where.length === 0) {
      verdict.contradictions.push(`nothing in the code shows that ${claim.text}`);
      verdict.confidence *= FACTORS.unsupported;
    } else {
      supported += 1;
      verdict.sources.push(...where);
    }
  }
  const known = db.prepare("SELECT 1 AS yes FROM files WHERE path = ?");
  for (const file of entry.files) {
    if (known.get(file.split(":")[0] as string) !== undefined) continue;
    verdict.warnings.push(`${file} is not in the project`);
    verdict.confidence *= FACTORS.missingFile;
  }
  const earlier = contradicting(db, claims);
  if (earlier.length > 0) {
    verdict.contradictions.push(...earlier);
    verdict.confidence *= FACTORS.history;
  }
  // No claim that could be checked is no proof.
  verdict.verified = supported > 0 && verdict.contradictions.length === 0 && verdict.confidence >= FACTORS.enough;
  if (verdict.verified) verdict.verification = "against_code";
  return verdict;
}

/** Files that show both ends of a claim. */
function supporting(db: DatabaseSync, claim: Claim): string[] {
  if (claim.type === "location") {
    const folder = `${claim.object.replace(/\/$/u, "")}/`;
    return filesMentioning(db, [claim.subject], MANY_FILES)
      .filter((file) => file === claim.object || file.startsWith(folder))
      .slice(0, 3);
  }
  if (claim.type === "implements") {
    const rows = db
      .prepare(
        "SELECT DISTINCT n.path FROM nodes n JOIN mentions m ON m.node = n.key WHERE n.name = ? AND m.name = ? AND m.kind IN ('implements', 'extends') LIMIT 3",
      )
      .all(claim.subject, claim.object) as { path: string }[];
    return rows.map((row) => row.path);
  }
  return filesMentioning(db, [claim.subject, claim.object], 3);
}

/** Verified entries that say another thing of the same: another place, or another means to the same end. */
function contradicting(db: DatabaseSync, claims: readonly Claim[]): string[] {
  if (claims.length === 0) return [];
  const rows = db.prepare(
    "SELECT id, content FROM nodes WHERE domain = 'history' AND verified = 1 AND node_type <> 'commit' AND content IS NOT NULL AND instr(lower(content), ?) > 0 LIMIT 50",
  );
  return claims.flatMap((claim) => {
    const key = claim.type === "uses" ? claim.object : claim.subject;
    return (rows.all(key.toLowerCase()) as { id: string; content: string }[]).flatMap(({ id, content }) =>
      findClaims(content)
        .filter((other) => other.type === claim.type && isOther(claim, other))
        .map((other) => `${id} says: ${other.text}`),
    );
  });
}

function isOther(a: Claim, b: Claim): boolean {
  const same = (x: string, y: string): boolean => x.toLowerCase() === y.toLowerCase();
  if (a.type === "uses") return same(a.object, b.object) && !same(a.subject, b.subject);
  return a.type === "location" && same(a.subject, b.subject) && !same(a.object, b.object);
}
