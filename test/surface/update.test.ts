/** `sylk update`: asks only when it is told to, says how, and changes nothing. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdirSync, realpathSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { runSylk } from "../support/run-sylk.ts";
import { tempDir } from "../support/temp.ts";

async function registry(answer: () => { status: number; body: string }) {
  const asked: string[] = [];
  const http = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const { status, body } = answer();
    response.writeHead(status, { "content-type": "application/json", connection: "close" }).end(body);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

function place() {
  const base = realpathSync(tempDir("sylk-update"));
  const dir = path.join(base, "project");
  mkdirSync(dir);
  const env = { PATH: process.env["PATH"], HOME: base, SYLK_HOME: path.join(base, "home"), NO_COLOR: "1" };
  return (args: string[], extra: Record<string, string>) => runSylk(dir, { ...env, ...extra }, args);
}

test("without --check nobody is asked; with it the registry is, once, and what is newer is told with how to get it", async () => {
  let version = "999.0.0";
  await using at = await registry(() => ({ status: 200, body: JSON.stringify({ name: "sylk", version }) }));
  const sylk = place();
  const env = { npm_config_registry: at.url };
  for (const args of [["update"], ["--version"], ["doctor"], ["status"], []]) await sylk(args, env);
  expect(at.asked).toEqual([]);
  const told = await sylk(["update", "--check"], env);
  expect(told).toMatchObject({ code: 0, out: `999.0.0 is there, this is ${manifest.version}; \`npm install -g sylk@latest\` brings it\n` });
  expect(at.asked).toEqual(["GET /sylk/latest"]);
  ({ version } = manifest);
  expect((await sylk(["update", "--check"], env)).out).toBe(`this is ${manifest.version}, and nothing newer is there\n`);
  expect(JSON.parse((await sylk(["update", "--check", "--json"], env)).out)).toEqual({
    kind: "known",
    current: manifest.version,
    newest: manifest.version,
    is_newer: false,
    command: "npm install -g sylk@latest",
  });
});

test("SYLK_OFFLINE asks nobody, and a registry that is away, refuses or talks nonsense is told", async () => {
  let answer = { status: 500, body: "{}" };
  await using at = await registry(() => answer);
  const sylk = place();
  const off = await sylk(["update", "--check"], { npm_config_registry: at.url, SYLK_OFFLINE: "1" });
  expect(off).toMatchObject({ code: 1, out: expect.stringContaining("SYLK_OFFLINE is set") as string });
  expect(at.asked).toEqual([]);
  const env = { npm_config_registry: at.url };
  expect((await sylk(["update", "--check"], env)).out).toContain("answered 500");
  answer = { status: 200, body: '{"version":"\\u001b[31m1.0.0"}' };
  expect((await sylk(["update", "--check"], env)).out).toContain("names no version");
  expect((await sylk(["update", "--check"], { npm_config_registry: "http://127.0.0.1:9" })).out).toContain("does not answer");
});

test("versions are compared as releases are, also those before one", async () => {
  let version = "";
  await using at = await registry(() => ({ status: 200, body: JSON.stringify({ version }) }));
  const sylk = place();
  const [major = 0, minor = 0, patch = 0] = manifest.version.split(".").map(Number);
  const cases: [string, boolean][] = [
    [`${major}.${minor}.${patch}-beta.1`, false],
    [`${major}.${minor}.${patch + 1}`, true],
    [`${major}.${minor}.${patch + 1}-beta.1`, true],
    [`${major}.${minor + 10}.0`, true],
    [`${major + 10}.0.0`, true],
    ["0.0.99", false],
  ];
  for (const [one, newer] of cases) {
    version = one;
    const { out } = await sylk(["update", "--check", "--json"], { npm_config_registry: at.url });
    expect(JSON.parse(out)).toMatchObject({ newest: one, is_newer: newer });
  }
});
