/** Where people keep secrets: 40 names of variables and 40 places in a repository, each with a value of the real shape. */
import { createHash } from "node:crypto";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ALNUM = `${LETTERS}0123456789`;
const HEX = "0123456789abcdef";
const BASE64 = `${ALNUM}+/`;

/** The same for the same name, and for no other. Made here, so that no scanner finds a secret in this file. */
function made(name: string, length: number, alphabet = ALNUM): string {
  let out = "";
  for (let round = 0; out.length < length; round += 1)
    for (const byte of createHash("sha256").update(`${name}/${round}`).digest()) out += alphabet[byte % alphabet.length] ?? "";
  // Whatever the draw, it mixes letters and digits as real ones do.
  return `${out.slice(0, length - 4)}7aQ2`
    .slice(0, length)
    .replace(/.{4}$/, (end) => (alphabet === HEX ? end.toLowerCase().replace("q", "b") : end));
}

const pem = (name: string, kind: string): { secret: string; text: string } => {
  const lines = Array.from({ length: 5 }, (_, i) => made(`${name}${i}`, 64, BASE64));
  return {
    secret: lines[2] as string,
    text: `-----BEGIN ${kind}PRIVATE KEY-----\n${lines.join("\n")}\n-----END ${kind}PRIVATE KEY-----\n`,
  };
};

const ENVIRONMENT: readonly [name: string, value: (name: string) => string, secret?: (value: string) => string][] = [
  ...[
    "API_KEY",
    "TOKEN",
    "SECRET",
    "SECRET_KEY",
    "PASSWORD",
    "PASS",
    "DB_PASS",
    "STRIPE_SK",
    "JWT_SECRET",
    "SESSION_SECRET",
    "COOKIE_KEY",
    "ENCRYPTION_KEY",
    "MASTER_KEY",
    "DJANGO_SECRET_KEY",
    "SMTP_PASSWORD",
    "MAIL_PASS",
    "PGPASSWORD",
    "MYSQL_PWD",
    "TWILIO_AUTH",
    "SENDGRID_KEY",
    "CLOUDFLARE_API_TOKEN",
    "HEROKU_API_KEY",
    "DIGITALOCEAN_ACCESS",
    "AZURE_CLIENT_SECRET",
    "DOCKER_AUTH",
    "CI_JOB_JWT",
    "VAULT_SEED",
    "LICENSE_KEY",
    "SIGNING_KEY",
    "WEBHOOK_SIG",
    "ACME_PIN_CODE_PHRASE",
  ].map((name): [string, (name: string) => string] => [name, (of) => made(of, 32)]),
  ["RAILS_MASTER_KEY", (name) => made(name, 32, HEX)],
  ["AWS_SECRET_ACCESS_KEY", (name) => made(name, 40, BASE64)],
  ["GITHUB_PAT", (name) => `ghp_${made(name, 36)}`],
  ["NPM_AUTH", (name) => `npm_${made(name, 36)}`],
  ["OPENAI_API_KEY", (name) => `sk-proj-${made(name, 48)}`],
  ["ANTHROPIC_API_KEY", (name) => `sk-ant-api03-${made(name, 60)}`],
  ["DATABASE_URL", (name) => `postgres://app:${made(name, 24)}@db.internal:5432/app`, (value) => /:([^:@]+)@/.exec(value)?.[1] ?? ""],
  ["REDIS_URL", (name) => `redis://:${made(name, 24)}@cache.internal:6379`, (value) => /:([^:@]+)@/.exec(value)?.[1] ?? ""],
  [
    "SLACK_HOOK",
    (name) => `https://hooks.slack.com/services/T0${made(name, 8)}/B0${made(`${name}b`, 8)}/${made(`${name}c`, 24)}`,
    (value) => value.split("/").at(-1) ?? "",
  ],
];

export interface Hidden {
  where: string;
  secret: string;
}

export const environmentSecrets: readonly (Hidden & { value: string })[] = ENVIRONMENT.map(([where, value, secret]) => {
  const whole = value(where);
  return { where, value: whole, secret: secret?.(whole) ?? whole };
});

type Place = [where: string, text: (secret: string) => string, secret?: string];
const assigned =
  (before: string, after = "\n"): ((secret: string) => string) =>
  (secret) =>
    `${before}${secret}${after}`;

const PLACES: readonly Place[] = [
  [".env", assigned("DB_PASSWORD=")],
  [".env.local", assigned("export TOKEN_VALUE='", "'\n")],
  [".env.production", assigned("PLAIN=")],
  ["config/.env.test", assigned("A=1\nMAIL_PASS = ")],
  [".npmrc", assigned("//registry.npmjs.org/:_authToken=")],
  [".pypirc", assigned("[pypi]\nusername = __token__\npassword = pypi-")],
  [".netrc", assigned("machine api.example.org login bot password ")],
  [".git-credentials", assigned("https://bot:", "@github.com\n")],
  ["credentials.json", assigned('{"web":{"client_id":"x","client_secret":"', '"}}\n')],
  [".aws/credentials", assigned("[default]\naws_access_key_id = AKIAQQQQQQQQQQQQQQQQ\naws_secret_access_key = "), made("aws", 40, BASE64)],
  [".kube/config", assigned("users:\n- name: admin\n  user:\n    token: ")],
  ["prod.tfvars", assigned('region = "eu"\ndb_password = "', '"\n')],
  ["terraform.tfstate", assigned('{"resources":[{"instances":[{"attributes":{"master_password": "', '"}}]}]}\n')],
  ["config/master.key", assigned("", "\n"), made("master", 32, HEX)],
  ["config/secrets.yml", assigned("production:\n  secret_key_base: ")],
  ["config/database.yml", assigned("production:\n  username: app\n  password: ")],
  [".docker/config.json", assigned('{"auths":{"registry.example.org":{"auth":"', '"}}}\n'), made("docker", 44, BASE64)],
  ["src/client.ts", assigned('export const apiKey = "', '";\n'), `sk_live_${made("stripe", 24)}`],
  ["src/storage.py", assigned('aws_secret_access_key = "', '"\n'), made("boto", 40, BASE64)],
  ["src/main.go", assigned('package main\n\nvar token = "', '"\n'), `ghp_${made("go", 36)}`],
  ["src/Legacy.java", assigned('class Legacy { static final String PASSWORD = "', '"; }\n')],
  ["docker-compose.yml", assigned("services:\n  db:\n    environment:\n      POSTGRES_PASSWORD: ")],
  ["k8s/secret.yaml", assigned("kind: Secret\ndata:\n  password: "), made("k8s", 32, BASE64)],
  [".gitlab-ci.yml", assigned("variables:\n  DEPLOY_TOKEN: "), `glpat-${made("ci", 20)}`],
  ["gradle.properties", assigned("signing.password=")],
  ["settings.xml", assigned("<settings><server><password>", "</password></server></settings>\n")],
  ["appsettings.json", assigned('{"ConnectionStrings":{"Default":"Server=db;User Id=app;Password=', ';"}}\n')],
  ["wp-config.php", assigned("<?php define('DB_PASSWORD', '", "');\n")],
  ["application.properties", assigned("spring.datasource.password=")],
  [".htpasswd", assigned("admin:$apr1$"), made("htpasswd", 22)],
  ["notes/deploy.md", assigned("Deploy with ", " until Friday.\n"), `github_pat_${made("notes", 60)}`],
  ["scripts/release.sh", assigned("curl -H 'Authorization: Bearer ", "' https://api.example.org\n")],
  [".vscode/settings.json", assigned('{"sqltools.connections":[{"password":"', '"}]}\n')],
];

export interface Planted extends Hidden {
  text: string;
}

export const fileSecrets: readonly Planted[] = [
  ...PLACES.map(([where, text, given]) => {
    const secret = given ?? made(where, 28);
    return { where, secret, text: text(secret) };
  }),
  ...(
    [
      ["id_rsa", "RSA "],
      ["keys/id_ed25519", "OPENSSH "],
      ["tls/server.pem", ""],
    ] as const
  ).map(([where, kind]) => ({ where, ...pem(where, kind) })),
];

/** Places that are no file of the working tree; the test puts them there. */
export const elsewhere = {
  history: { where: "git history", secret: `ghp_${made("history", 36)}` },
  message: { where: "commit message", secret: `xoxb-${made("message", 40)}` },
  output: { where: "test output", secret: made("output", 30) },
  failure: { where: "error message", secret: made("failure", 26) },
} satisfies Record<string, Hidden>;
