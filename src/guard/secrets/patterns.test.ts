import { expect, test } from "vitest";
import { createRedactor } from "./create-redactor.ts";
import { fileSensitivity } from "./sensitive-files.ts";

/** Put together here so that no scanner takes this file for a leak. */
const some = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7".repeat(4);

test.each([
  ["api_key_generic", "high", `api-key: ${some.slice(0, 20)}`],
  ["password_generic", "high", "passwd=hunter2hunter"],
  ["bearer_token", "high", `TOKEN=${some.slice(0, 20)}`],
  ["private_key", "critical", `-----BEGIN ${"DSA PRIVATE KEY"}-----`],
  ["aws_credentials", "critical", `aws_access_key_id=${some.slice(0, 16)}`],
  ["github_pat", "high", `ghp_${some.slice(0, 36)}`],
  ["openai_key", "high", `sk-${some.slice(0, 48)}`],
  ["anthropic_key", "high", `sk-ant-${some.slice(0, 80)}`],
  ["connection_string", "critical", "redis://app:s3cr3t@db/0"],
  ["high_entropy_assignment", "medium", `credential=${some.slice(0, 40)}`],
])("SEC-016: %s is found, of severity %s", (pattern, severity, text) => {
  expect(createRedactor().find(`x\n${text}\ny`)).toMatchObject([{ pattern, severity }]);
});

test("a password in an address is found; a mask in its place is none", () => {
  const { find } = createRedactor();
  expect(find(`fetch https://anna:${"hunter2"}@example.org/`)).toMatchObject([{ pattern: "basic_auth_url" }]);
  for (const mask of ["***", "••••"]) expect(find(`gives https://anna:${mask}@example.org/`)).toEqual([]);
});

/** Put together here so that no scanner takes this file for a leak. */
const at = (scheme: string, who: string, host: string): string => `see ${scheme}://${who}@${host} for it`;

test.each([
  at("https", "user:pass", "example.com"),
  at("https", "user:pass", "example.com/a?b=c"),
  at("https", "user:pass", "api.example.org:8443/v1"),
  at("http", "bob:bobs-word", "example.net"),
  at("http", "admin:secret", "localhost:3000/x"),
  at("https", "ada:letmein", "svc.test"),
  at("ftp", "me:password1", "files.example"),
  at("postgres", "app:app", "localhost:5432/db"),
  at("postgresql", "user:password", "db.internal/x"),
  at("https", "username:password", "git.company.io/r.git"),
  at("https", "your_user:your-password", "host.company.io"),
  `"url": "https://user:${"pass"}@example.com"`,
])("an address that only shows the form of one holds no secret: %s", (text) => {
  expect(createRedactor().redact(text)).toEqual({ text, findings: [] });
});

test.each([
  at("https", "me:tok3n", "example.com/a"),
  at("https", "anna:hunter2", "example.org"),
  at("https", `user:${some.slice(0, 16)}`, "example.com"),
  at("https", "deploy:correct-horse", "git.company.io"),
  at("https", "admin:password", "git.company.io"),
  at("https", "bob:bobsword", "example.com.evil.io"),
  at("https", "bob:bobsword", "notexample.com"),
  at("postgres", "app:s3cr3t", "localhost/db"),
  at("postgres", "app:s3cr3t", "db/x"),
  at("https", "user:pass@word", "example.com.io"),
])("one that could be somebody's stays a secret: %s", (text) => {
  const { text: left, findings } = createRedactor().redact(text);
  expect(left).toContain("[REDACTED]@");
  expect(findings).toMatchObject([{ certain: true }]);
});

test("beside one that shows the form, the real one is taken out", () => {
  const { redact } = createRedactor();
  const real = at("https", "deploy:hunter2hunter", "git.company.io");
  expect(redact(`${at("https", "user:pass", "example.com")}, ${real}`).text).toBe(
    `${at("https", "user:pass", "example.com")}, ${at("https", "deploy:[REDACTED]", "git.company.io")}`,
  );
});

const SENSITIVE =
  ".env .env.local x.pem x.key x.p12 x.pfx my-credentials.txt all-secrets.toml .aws/credentials .ssh/config a/secrets.yaml a/secrets.json a/.npmrc a/.pypirc";
test.each(SENSITIVE.split(" "))("SEC-017: %s is not read for a model, at any depth", (file) => {
  for (const at of [file, `deep/down/${file}`]) expect(fileSensitivity(at)).toMatchObject({ sensitive: true, handling: "skip" });
});

test("R12: the folder a shell stands in is no password; what is called so elsewhere still is one", () => {
  const { redact } = createRedactor();
  const env = `HOME=/home/ada\nPWD=/home/ada/projects/api\nOLDPWD=/srv/data/releases\ndeclare -x PWD="/home/ada/projects/api"\n`;
  expect(redact(env).text).toBe(env);
  for (const line of [
    "PWD=hunter2hunter",
    "DB_PWD=/x9$kq81zz",
    "pwd: hunter2hunter",
    "MYSQL_PWD='/hunter2hunter'",
    "APP-PWD=/hunter2hunter",
  ])
    expect([line, redact(line).text.includes("[REDACTED]")]).toEqual([line, true]);
});
