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
