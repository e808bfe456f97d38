import fc from "fast-check";
import { expect, test } from "vitest";
import { leadScan, leadsOf } from "./lead-scan.ts";
import { findWithLibrary } from "./library-rules.ts";
import { SECRET_PATTERNS } from "./patterns.ts";

test("what an expression must begin with is read from its source", () => {
  expect(leadsOf(/()(\bsk-ant-[a-z]{20,200})/g)).toEqual(["sk-ant-"]);
  expect(leadsOf(/(\b(?:https?|ftp):\/\/[^:]+:)(x)/gi)).toEqual(["http", "ftp"]);
  expect(leadsOf(/(?<!\p{L})(?<kind>ghp|gho)_[A-Z]{3}(?![A-Z])/gu)).toEqual(["ghp", "gho"].map((kind) => `${kind}_`));
  expect(leadsOf(/((?:key|token)s?\s{0,4}=)(x)/gi)).toEqual(["key", "token"]);
  expect(leadsOf(/a\.b+c/g)).toEqual(["a.b"]);
  expect(leadsOf(/-----BEGIN|eyJ[a-z]/g)).toEqual(["-----begin", "eyj"]);
  expect(leadsOf(/(?:x|)abc/g)).toEqual(["xabc", "abc"]);
});

test.each([/[rs]k_live/g, /a?bcd/g, /\wabc/g, /(ab|c)/g, /(?:ab)?cd/g, /abc/giu, /\x60abc/g, /.abc/g])(
  "an expression that may begin otherwise is always tried: %s",
  (pattern) => {
    expect(leadsOf(pattern)).toBeUndefined();
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
  const random = fc.string({ unit: fc.constantFrom(..."abcXYZ0129_-/+=. '\"\n"), maxLength: 90 });
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
      for (const { pattern } of SECRET_PATTERNS)
        if (!mayMatch(pattern)) {
          skipped += 1;
          expect([...text.matchAll(pattern)]).toEqual([]);
        }
    }),
    { numRuns: 500 },
  );
  expect(skipped).toBeGreaterThan(1_000);
});
