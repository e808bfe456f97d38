/**
 * The attacker's text runs in a command (`npm test`, `env`) or is the model itself. He wants the secrets
 * in the environment Sylk was started with: in a command's variables, or in what the model and the
 * record get to see.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { createRedactor, environmentSecrets } from "../../../src/guard/index.ts";
import { cleanEnvironment } from "../../../src/workspace/process/environment.ts";
import { script, scriptedProject } from "../../support/scripted-project.ts";
import { MAIN } from "../../support/built-command.ts";

const NAMES = [
  "API_KEY TOKEN PASSWORD SECRET SECRET_KEY DB_PASS STRIPE_SK GITHUB_TOKEN GH_TOKEN GITLAB_PAT NPM_TOKEN NODE_AUTH_TOKEN",
  "AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AZURE_CLIENT_SECRET GOOGLE_API_KEY OPENAI_API_KEY ANTHROPIC_API_KEY HF_TOKEN",
  "PGPASSWORD MYSQL_PWD REDIS_PASSWORD MONGO_PASS SMTP_PASS LDAP_BIND_PW_SECRET DJANGO_SECRET_KEY RAILS_MASTER_KEY JWT_SIGNING_KEY",
  "SESSION_SECRET COOKIE_SALT SENTRY_DSN SLACK_WEBHOOK TWILIO_AUTH VAULT_TOKEN CI_JOB_TOKEN DOCKER_PASSWORD SIGNING_PASSPHRASE",
  "WALLET_MNEMONIC BOT_TOKEN my_token apiKey",
].flatMap((line) => line.split(" "));

const secrets = Object.fromEntries(NAMES.map((name, i) => [name, `v${i}-Zq7${name.length}pL${i * 7919}wX`]));
const shapes = {
  BACKUP_TARGET: "postgres://app:Tr0ub4dor-three@db.example/x",
  SOMETHING: "kR9vT2mXw8Lq4ZpN7bJc3HdF6sGy1Ea5",
  MAIL_SERVER: "imap://app:Correct-horse-9@mail.example",
  OTHER: `ghp_${"a1B2c3D4e5".repeat(3)}f6G7h8`,
};

test("H7: the list has at least 40 names", () => {
  expect(new Set(NAMES).size).toBeGreaterThanOrEqual(40);
});

test("H7 SEC-026: of 40 secret names none reaches a command, by whatever name; what programs need does", () => {
  const parent = { ...secrets, ...shapes, PATH: "/bin", HOME: "/h", LC_ALL: "C", JAVA_HOME: "/j", GOPATH: "/g", HTTPS_PROXY: "http://p" };
  const env = cleanEnvironment({ ...parent, CARGO_HOME: "/c", CFLAGS: "-O2", GOFLAGS: "-x=https://u:pa55word@h" });
  expect(Object.keys(env).filter((name) => name in secrets || name in shapes || name === "HTTPS_PROXY" || name === "GOFLAGS")).toEqual([]);
  expect(env).toMatchObject({ PATH: "/bin", HOME: "/h", LC_ALL: "C", JAVA_HOME: "/j", GOPATH: "/g", CARGO_HOME: "/c", CFLAGS: "-O2" });
  expect(cleanEnvironment(parent, { passed: ["DB_PASS"] })).toMatchObject({ DB_PASS: secrets["DB_PASS"] });
});

test("a command's own variables cannot steer git, the loader or Sylk, in any case of letters", () => {
  const names = [
    "SYLK_HOME NODE_OPTIONS NODE_CHANNEL_FD NODE_COMPILE_CACHE VITEST_WORKER_ID LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES GIT_DIR",
    "GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_COMMON_DIR GIT_PREFIX GIT_CONFIG GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_CONFIG_VALUE_0 GIT_CONFIG_PARAMETERS SSH_AUTH_SOCK SSH_AGENT_PID git_config_count",
  ].flatMap((line) => line.split(" "));
  const given = Object.fromEntries(names.map((name) => [name, "/evil"]));
  const without = cleanEnvironment({ PATH: "/bin" });
  expect(cleanEnvironment({ PATH: "/bin", ...given }, { extra: { ...given, PORT: "80" } })).toEqual({ ...without, PORT: "80" });
});

test("H7: values that look secret by name or by shape are known to the redactor; ordinary ones are not", () => {
  const redactor = createRedactor();
  const ordinary = {
    PWD: "/home/someone",
    XDG_SESSION_TYPE: "wayland-0",
    SSH_AUTH_SOCK: "/run/agent",
    GITHUB_SHA: "0123456789abcdef0123456789abcdef01234567",
  };
  const plain = { ...ordinary, EDITOR: "code --wait", KEY_REPEAT: "disabled", USER_TOKEN_FILE: "/run/secrets/token", LANG: "en_US.UTF-8" };
  const found = environmentSecrets({ ...secrets, ...shapes, ...plain }, redactor);
  for (const value of [...Object.values(secrets), "Tr0ub4dor-three", "Correct-horse-9", shapes.SOMETHING, shapes.OTHER])
    expect(found).toContain(value);
  for (const value of Object.values(plain)) expect(found).not.toContain(value);
});

test("H7 ~SEC-022 SEC-026: through a whole task: neither the model's words nor the record hold one of the values", () => {
  const { base, dir, env, rules } = scriptedProject(
    {
      "package.json": JSON.stringify({ scripts: { test: "env; echo $API_KEY $DB_PASS" } }),
      "copied.txt": Object.values(secrets).join("\n"),
      "print.sh": "env\nset\n",
    },
    script([
      { name: "run_command", input: { command: "env" } },
      { name: "run_command", input: { command: "echo $SECRET_KEY $TOKEN $DB_PASS $STRIPE_SK $PASSWORD $API_KEY" } },
      { name: "run_command", input: { command: "npm test" } },
      { name: "run_command", input: { command: "sh print.sh" } },
      { name: "run_command", input: { command: "cat copied.txt" } },
      { name: "read_file", input: { path: "copied.txt" } },
      { name: "complete", input: { summary: "looked" } },
    ]),
  );
  const sylk = (...args: string[]): string => {
    const run = spawnSync(process.execPath, [MAIN, ...args], {
      cwd: dir,
      env: { ...secrets, ...shapes, ...env, NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] },
      encoding: "utf8",
    });
    return run.stdout + run.stderr;
  };
  const said =
    sylk("task", "start", "look around", "--no-checks", "--permission-mode", "bypass", "-m", rules) + sylk("task", "context", "last");
  const record = readdirSync(base, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !["copied.txt", "rules.yaml"].includes(entry.name))
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
  for (const ran of ["env", "npm test", "cat copied.txt"]) expect(record).toContain(`\`${ran}\` exited with 0`);
  const leaked = [...Object.entries(secrets), ...Object.entries(shapes)].filter(
    ([, value]) => said.includes(value) || record.includes(value),
  );
  expect(leaked.map(([name]) => name)).toEqual([]);
});
