import { expect, test } from "vitest";
import { checkParameters, checkPrompt } from "./check-prompt.ts";
import { createRedactor } from "./create-redactor.ts";
import { sanitizeFile } from "./sanitize-file.ts";
import { fileSensitivity } from "./sensitive-files.ts";

const redactor = createRedactor();
const token = `ghp_${"aB3dE6gH9jK2mN5pQ8sT1vW4yZ7x".repeat(2).slice(0, 36)}`;

test("SEC-021: a prompt with a certain secret is refused, with masked surroundings", () => {
  const check = checkPrompt(redactor, `Please use my token ${token} and also ${token} to open the pull request`);
  expect(check).toEqual({
    kind: "refused",
    highest: "high",
    message: expect.stringMatching(/^2 secrets found \(github_pat\).*sylk auth set/) as string,
    findings: [
      { pattern: "github_pat", severity: "high", context: "Please use my token [***] and also [***] to o..." },
      { pattern: "github_pat", severity: "high", context: "...oken [***] and also [***] to open the pull re..." },
    ],
  });
  expect(JSON.stringify(check)).not.toContain(token);
});

test("SEC-021: a guess offers the redacted text instead of a flat refusal", () => {
  expect(checkPrompt(redactor, "why is password: hunter2hunter rejected?")).toMatchObject({
    kind: "suspicious",
    redacted: "why is password: [REDACTED] rejected?",
  });
  expect(checkPrompt(redactor, "how do I validate password: fields?")).toEqual({ kind: "clean" });
});

test("SEC-023 ~SEC-024: secrets in any nested parameter, references outside text and credential parameters are refused", () => {
  const text = new Set(["content"]);
  expect(checkParameters(redactor, { path: "a", content: "echo $HOME_DIR" }, text)).toEqual({ kind: "clean" });
  expect(checkParameters(redactor, { query: "$DATABASE_URL" }, text)).toEqual({
    kind: "refused",
    parameter: "query",
    reason: "environment_reference",
  });
  expect(checkParameters(redactor, { content: "x", list: [{ deep: token }] }, text)).toEqual({
    kind: "refused",
    parameter: "list.0.deep",
    reason: "secret",
  });
  expect(checkParameters(redactor, { content: token }, text)).toMatchObject({ reason: "secret" });
  for (const name of ["api_key", "password", "githubToken_token", "connection_string"])
    expect(checkParameters(redactor, { [name]: "x" }, text)).toMatchObject({ reason: "credential_parameter" });
});

test("SEC-017: sensitive names at any depth, with templates and source code readable after redaction", () => {
  const handling = (file: string): string => fileSensitivity(file).handling;
  expect(
    [
      ".env",
      "a/b/.env.local",
      "x.pem",
      "deep/x.KEY",
      "aws-credentials",
      "a/.aws/credentials",
      "/home/u/.ssh/known_hosts",
      "x/secrets.json",
      ".npmrc",
      "id_ed25519",
    ].map(handling),
  ).toEqual(Array(10).fill("skip"));
  expect([".env.example", "src/credentials-store.ts", "docs/secrets.md"].map(handling)).toEqual(["redact", "redact", "redact"]);
  expect(["environment.ts", "keyboard.ts", "src/index.ts", "ssh/readme"].map(handling)).toEqual(["normal", "normal", "normal", "normal"]);
});

test("~SEC-019: the index gets a stub of a sensitive file and the redacted text of others", () => {
  const stub = sanitizeFile(redactor, "config/.env", "KEY=very-secret-value");
  expect(stub).toMatchObject({ skipped: true, skipReason: "matches .env", redactionCount: 0, originalSize: 21 });
  expect(stub.text).toContain(".env");
  expect(stub.text).not.toContain("very-secret-value");
  expect(sanitizeFile(redactor, "src/a.ts", `const t = "${token}";`)).toMatchObject({
    skipped: false,
    text: 'const t = "[REDACTED]";',
    redactionCount: 1,
    patternsMatched: ["github_pat"],
  });
});
