import fc from "fast-check";
import { expect, test } from "vitest";
import { createRedactor } from "./create-redactor.ts";
import { redactLines } from "./redact-lines.ts";

const redact = (text: string): string => createRedactor().redact(text).text;
const R = "[REDACTED]";
const alnum = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7".repeat(8);

/** Text with a secret → what must remain. Put together here so that no scanner takes this file for a leak. */
const CASES: Record<string, [string, string]> = {
  "api key": [`api_key = ${alnum.slice(0, 24)}`, `api_key = ${R}`],
  "api key in JSON": [`{"apiKey":"${alnum.slice(0, 24)}"}`, `{"apiKey":"${R}"}`],
  password: ["password: hunter2hunter", `password: ${R}`],
  "password in an environment file": ["DB_PASSWORD=correcthorse\nX=1", `DB_PASSWORD=${R}\nX=1`],
  "quoted password": [`pwd = 'abcdefgh'`, `pwd = '${R}'`],
  "bearer header": [`Authorization: Bearer ${alnum.slice(0, 30)}`, `Authorization: Bearer ${R}`],
  "bearer assignment": [`token=${alnum.slice(0, 30)}`, `token=${R}`],
  "AWS id": [`id AKIA${"IOSFODNN7EXAMPL8"} end`, `id ${R} end`],
  "AWS secret": [`aws_secret_access_key = ${alnum.slice(0, 40)}`, `aws_secret_access_key = ${R}`],
  "GitHub classic": [`ghp_${alnum.slice(0, 36)}`, R],
  "GitHub app": [`ghs_${alnum.slice(0, 36)}`, R],
  "GitHub fine-grained": [`github_pat_${alnum.slice(0, 60)}`, R],
  "OpenAI classic": [`sk-${alnum.slice(0, 48)}`, R],
  "OpenAI project": [`sk-proj-${alnum.slice(0, 60)}`, R],
  Anthropic: [`sk-ant-api03-${alnum.slice(0, 90)}_x`, R],
  Google: [`AIza${alnum.slice(0, 35)}`, R],
  Slack: [`xoxb-${"1234567890"}-${alnum.slice(0, 24)}`, R],
  Stripe: [`sk_live_${alnum.slice(0, 24)}`, R],
  GitLab: [`glpat-${alnum.slice(0, 20)}`, R],
  npm: [`npm_${alnum.slice(0, 36)}`, R],
  "npmrc line": [`//registry.npmjs.org/:_authToken=${alnum.slice(0, 30)}`, `//registry.npmjs.org/:_authToken=${R}`],
  "Hugging Face": [`hf_${alnum.slice(0, 34)}`, R],
  JWT: [`eyJ${alnum.slice(0, 20)}.eyJ${alnum.slice(0, 30)}.${alnum.slice(0, 43)}`, R],
  "connection string": ["postgresql://app:s3cr3t@db/x", `postgresql://app:${R}@db/x`],
  "connection string with @ in the password": ["mongodb+srv://app:p@ss@db/x", `mongodb+srv://app:${R}@db/x`],
  "basic auth": ["https://me:tok3n@example.com/a", `https://me:${R}@example.com/a`],
  "high entropy": [`credential: ${alnum.slice(0, 44)}`, `credential: ${R}`],
};

test.each(Object.entries(CASES))("SEC-016 SEC-020: %s is redacted and its name stays", (_name, [text, expected]) => {
  expect(redact(`before ${text} after`)).toBe(`before ${expected} after`);
});

test.each(["RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "PGP PRIVATE KEY BLOCK"])(
  "SEC-016: a whole %s block is redacted, body and closing line",
  (kind) => {
    const body = `${alnum.slice(0, 64)}\n`.repeat(12);
    expect(redact(`a\n-----BEGIN ${kind}-----\n${body}-----END ${kind}-----\nb`)).toBe(`a\n${`${R}\n`.repeat(14)}b`);
    expect(redact(`a\n-----BEGIN ${kind}-----\n${body}`)).not.toContain(alnum.slice(0, 20));
  },
);

test.each([
  "password: getPassword()",
  "const password: string = input;",
  "if (password === other.password) return;",
  "token: process.env.GITHUB_TOKEN_FOR_THE_RELEASE",
  "password = ${DB_PASSWORD_FROM_VAULT}",
  "secret: configuration",
  "https://example.com:8080/path/@scope/name",
  "integrity sha512 of the file",
])("SEC-016: code that only speaks of a secret is left alone: %s", (text) => {
  expect(redact(text)).toBe(text);
});

test("SEC-016: a comment cannot switch detection off", () => {
  expect(redact(`// secretlint-disable\nghp_${alnum.slice(0, 36)}`)).toBe(`// secretlint-disable\n${R}`);
});

test("CRE-008 ~CRE-017: known values are redacted in every usual encoding, whatever they look like", () => {
  const redactor = createRedactor();
  redactor.addKnownValue("plain words/and+more");
  const text = ["plain words/and+more", Buffer.from("plain words/and+more").toString("base64"), encodeURIComponent("plain words/and+more")];
  expect(redactor.redact(text.join(" | ")).text).toBe(`${R} | ${R} | ${R}`);
});

test("~SEC-018: redactions are counted by pattern", () => {
  const redactor = createRedactor();
  redactor.redact(`ghp_${alnum.slice(0, 36)} and ghp_${alnum.slice(1, 37)}`);
  redactor.redact("password: hunter2hunter");
  expect(redactor.counts()).toEqual({ github_pat: 2, password_generic: 1 });
});

test("SEC-020: redacting what was redacted finds and changes nothing, whatever surrounds it", () => {
  const secrets = Object.values(CASES).map(([text]) => text);
  const fragment = fc.oneof(
    fc.constantFrom(...secrets, R, "password", "token", "=", ":", '"', "'", "@", "\n", " ", "://", "-----BEGIN PRIVATE KEY-----"),
    fc.string({ maxLength: 12 }),
  );
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 12 }), (parts) => {
      const redactor = createRedactor();
      const once = redactor.redact(parts.join("")).text;
      expect(redactor.redact(once)).toEqual({ text: once, findings: [] });
    }),
    { numRuns: 400 },
  );
});

test("SEC-016 SEC-020: what is left has as many lines as what was given, whatever it holds", () => {
  const key = `-----BEGIN PRIVATE KEY-----\n${`  ${alnum.slice(0, 64)}\r\n`.repeat(6)}\n-----END PRIVATE KEY-----`;
  expect(redact(`k: |\n  ${key}\nb`)).toBe(`k: |\n  ${R}\n${`  ${R}\r\n`.repeat(6)}\n${R}\nb`);
  const secrets = Object.values(CASES).map(([text]) => text);
  const fragment = fc.oneof(
    fc.constantFrom(...secrets, key, "\n", "\r\n", "-----BEGIN PRIVATE KEY-----", "password:\n"),
    fc.string({ maxLength: 12 }),
  );
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 12 }), (parts) => {
      const redactor = createRedactor({ knownValues: ["two lines\nof a value"] });
      const text = [...parts, "two lines\nof a value"].join("\n");
      const once = redactor.redact(text).text;
      expect(once.split("\n")).toHaveLength(text.split("\n").length);
      expect(redactor.redact(once)).toEqual({ text: once, findings: [] });
    }),
    { numRuns: 300 },
  );
});

test("SEC-016: lines taken out of a text are redacted with what stands around them", () => {
  const body = Array.from({ length: 60 }, (_, i) => `${alnum.slice(0, 60)}${String(i).padStart(4, "0")}`);
  const lines = ["first", "-----BEGIN RSA PRIVATE KEY-----", ...body, "-----END RSA PRIVATE KEY-----", "after", "last"];
  const take = (from: number, to: number): string[] => redactLines(lines, { from, to }, redact);
  expect(take(10, 12)).toEqual([R, R, R]);
  expect(take(62, 65)).toEqual([R, R, "after", "last"]);
  expect(take(64, Infinity)).toEqual(["after", "last"]);
  expect(take(-3, 2)).toEqual(["first", R]);
  expect(take(99, 100)).toEqual([]);
});

test("a long line without a secret does not slow the scan down beyond its length", () => {
  // 300 kB of text that begins every pattern and completes none; finishes because repetitions are bounded.
  const text = "postgres://aaaa:bbbb password: sk-ant- -----BEGIN PRIVATE KEY".repeat(5000).replaceAll(" ", "");
  expect(createRedactor().redact(text).text.length).toBeGreaterThan(0);
});
