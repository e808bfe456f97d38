import fc from "fast-check";
import { expect, test } from "vitest";
import { leadScan } from "./lead-scan.ts";
import { findWithLibrary } from "./library-rules.ts";
import { SECRET_PATTERNS } from "./patterns.ts";

/** Whether an expression that was met before is tried on a text. */
function tried(pattern: RegExp, text: string): boolean {
  leadScan("")(pattern);
  return leadScan(text)(pattern);
}

test.each([
  [/()(\bsk-ant-[a-z]{20,200})/g, ["sk-ant-"], ["sk-an", "ant-"]],
  [/(\b(?:https?|ftp):\/\/[^:]+:)(x)/gi, ["HTTP:", "a ftp b"], ["htt", "ft p"]],
  [/(?<!\p{L})(?<kind>ghp|gho)_[A-Z]{3}(?![A-Z])/gu, ["ghp_", "xgho_"], ["ghp", "_gh", "gho-"]],
  [/((?:key|token)s?\s{0,4}=)(x)/gi, ["Key", "tokens"], ["ke y", "toke"]],
  [/a\.b+c/g, ["a.b"], ["ab", "axb"]],
  [/-----BEGIN|eyJ[a-z]/g, ["-----BEGIN", "eyJ"], ["-----", "ey"]],
  [/(?:x|)abc/g, ["abc"], ["xab"]],
])("what an expression must begin with is read from its source: %s", (pattern, present, absent) => {
  expect(present.map((text) => tried(pattern, text))).not.toContain(false);
  expect(absent.map((text) => tried(pattern, text))).not.toContain(true);
});

test.each([/[rs]k_live/g, /a?bcd/g, /\wabc/g, /(ab|c)/g, /(?:ab)?cd/g, /abc/giu, /\x60abc/g, /.abc/g])(
  "an expression that may begin otherwise is always tried: %s",
  (pattern) => {
    expect(tried(pattern, "nothing of it")).toBe(true);
  },
);

const PIECES = [
  "AKIA",
  "aws_secret_access_key = ",
  "ghp_",
  "github_pat_",
  "sk-ant-api03-",
  "sk-proj-",
  "xoxb-1-",
  "npm_",
  "glpat-",
  "hf_",
  "SG.",
  "eyJ",
  "-----BEGIN RSA PRIVATE KEY-----\n",
  "\n-----END RSA PRIVATE KEY-----",
  "postgres://u:p4ssw0rdlong@host/db",
  "https://u:p4ssw0rdlong@host.com",
  "Bearer ",
  "TOKEN=",
  "api_key: '",
  'PassWord = "',
  "_authToken=",
  "$2b$",
  "machine h login me password ",
  "<password>",
  "shpat_",
  "sk_live_",
  "\u212aey = ",
  "to\u017fecret: ",
];

test("with what is left out nothing is missed, by our expressions or the library's", () => {
  const random = fc.string({ unit: fc.constantFrom(..."abcXYZ0129_-/+=. '\"\n".split("")), maxLength: 90 });
  const always = (): boolean => true;
  // Everything is known after this, so that from here on what cannot match is not tried.
  findWithLibrary("x", leadScan("x"));
  for (const { pattern } of SECRET_PATTERNS) leadScan("")(pattern);
  let skipped = 0;
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constantFrom(...PIECES), random), { minLength: 1, maxLength: 8 }), (parts) => {
      const text = parts.join("");
      const mayMatch = leadScan(text);
      expect(findWithLibrary(text, mayMatch)).toEqual(findWithLibrary(text, always));
      const left = SECRET_PATTERNS.filter(({ pattern }) => !mayMatch(pattern));
      skipped += left.length;
      expect(left.flatMap(({ pattern }) => [...text.matchAll(pattern)])).toEqual([]);
    }),
    { numRuns: 500 },
  );
  expect(skipped).toBeGreaterThan(1_000);
});
