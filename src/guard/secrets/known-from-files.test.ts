import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp.ts";
import { findSecretValues } from "./known-from-files.ts";

const KEY = "k9Xw2LmZ8pQvT4bN7rYc";

function project(files: Record<string, string>): string {
  const root = tempDir();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.join(root, path.dirname(name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  return root;
}

test("values of secret files are found however they are written, settings beside them are not", async () => {
  const root = project({
    ".env": `PORT=3000\nNODE_ENV=production\nURL=https://example.org/v1/2024\nHOME_DIR=/srv/app1/data2\nPIN='${KEY}A'\n`,
    "deep/er/.netrc": `machine a login b password ${KEY}B\n`,
    "config/master.key": `${KEY}C\n`,
    "credentials.json": `{"client":"app","value":"${KEY}D"}\n`,
  });
  expect((await findSecretValues(root)).sort()).toEqual(["A", "B", "C", "D"].map((end) => KEY + end));
});

test("ordinary files, dependencies, links, pipes and large files are left alone", async () => {
  const root = project({
    "src/a.ts": `const a = "${KEY}";\n`,
    "node_modules/x/.env": `A=${KEY}\n`,
    ".env.large": `A=${KEY}\n${"#".repeat(70_000)}`,
  });
  const outside = project({ secret: `A=${KEY}\n` });
  symlinkSync(path.join(outside, "secret"), path.join(root, ".env"));
  symlinkSync(outside, path.join(root, "linked"));
  execFileSync("mkfifo", [path.join(root, ".env.pipe")]);
  expect(await findSecretValues(root)).toEqual([]);
});

test("M6: a secret-looking name makes any value of eight characters known, however plain it is", async () => {
  const root = project({
    ".env": [
      "SECRET_TOKEN=hunter2hunter2hunter2",
      "export DB_PASSWORD='correct horse'",
      "API_KEY=letmeinnow # for now",
      "PASSWORD=$ecretive",
      "PIN=1234567",
      "AUTH=disabled",
      "SESSION_SECRET=${OTHER}/abcdef",
      "KEY_FILE=/srv/keys/one",
      "GREETING=hello-world",
    ].join("\n"),
    "credentials.json": '{\n  "user": "somebody",\n  "password": "openopen",\n  "token": "sesamesesame"\n}\n',
    "secrets.yaml": "db:\n  password: waterwater\n",
  });
  expect((await findSecretValues(root)).sort()).toEqual([
    "$ecretive",
    "correct horse",
    "hunter2hunter2hunter2",
    "letmeinnow",
    "openopen",
    "sesamesesame",
    "waterwater",
  ]);
});
