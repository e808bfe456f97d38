/** `sylk models` and `sylk usage` through the real command. */
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../support/temp.ts";
import { startWireServer } from "../support/wire-server/wire-server.ts";
import { runSylk } from "../support/run-sylk.ts";

interface Ran {
  code: number;
  out: string;
  err: string;
}

function project(config = ""): (args: string[], env?: Record<string, string>) => Promise<Ran> {
  const folder = realpathSync(tempDir("sylk-models"));
  mkdirSync(path.join(folder, "project/.sylk"), { recursive: true });
  mkdirSync(path.join(folder, "home"), { recursive: true });
  writeFileSync(path.join(folder, "home/config.yaml"), config);
  writeFileSync(
    path.join(folder, "project/rules.yaml"),
    "rules:\n  - answer: { text: ready, usage: { input: 1200, output: 30, cache_read: 200 } }\n",
  );
  const { PATH } = process.env;
  const env = { PATH, HOME: folder, SYLK_HOME: path.join(folder, "home"), NO_COLOR: "1" };
  return (args, extra = {}) => runSylk(path.join(folder, "project"), { ...env, ...extra }, args);
}

test("models list says what is ready and what to set, without leaving anything behind", async () => {
  const sylk = project();
  const listed = await sylk(["models", "list", "--all"], { OPENAI_API_KEY: "k" });
  expect(listed).toMatchObject({ code: 0 });
  expect(listed.out).toMatch(/anthropic\s+anthropic\s+set ANTHROPIC_API_KEY/);
  expect(listed.out).toMatch(/openai\s+openai\s+ready/);
  expect(listed.out).toMatch(/anthropic\/claude-sonnet-4-5\s+200000\s+64000\s+\$3 \/ \$15 \/ \$0.3/);
  const json = JSON.parse((await sylk(["models", "list", "--json"])).out) as { tiers: { name: string }[] };
  expect(json.tiers.map((tier) => tier.name)).toEqual(["fast", "balanced", "deep"]);
});

test("a key under its SYLK_ name is seen by auth, models and doctor alike", async () => {
  const sylk = project();
  const env = { SYLK_OPENROUTER_API_KEY: "k-openrouter" };
  expect((await sylk(["auth", "list"], env)).out).toContain("SYLK_OPENROUTER_API_KEY");
  expect((await sylk(["models", "list", "--all"], env)).out).toMatch(/openrouter\s+compatible\s+ready/);
  expect((await sylk(["doctor"], env)).out).toContain("SYLK_OPENROUTER_API_KEY is set");
});

test("~LLM-025 ~LLM-094 ~LLM-104: a call is tried for real and usage shows what it cost, by any dimension", async () => {
  const sylk = project("llm:\n  catalogue:\n    scripted/rules.yaml: { input_price: 2, output_price: 10, cache_read_price: 0.5 }\n");
  expect((await sylk(["usage"])).out).toBe("no model was called yet\n");
  for (let i = 0; i < 2; i += 1)
    expect(await sylk(["models", "test", "scripted/rules.yaml"])).toMatchObject({
      code: 0,
      out: expect.stringContaining("1200 tokens in, 30 out, $0.002400") as string,
    });
  const table = (await sylk(["usage", "--by", "role", "--period", "week", "--detailed"])).out;
  expect(table.split("\n")[1]).toMatch(/^user\s+2\s+0\s+2,400\s+400\s+0\s+60\s+0\s+\$0.0048/);
  const report = JSON.parse((await sylk(["usage", "--by", "day", "--provider", "scripted", "--json"])).out) as {
    rows: { cost_nano_usd: number }[];
    total: { calls: number; cost_nano_usd: number };
  };
  expect(report.total).toMatchObject({ calls: 2, cost_nano_usd: 4_800_000 });
  expect(report.rows.reduce((sum, row) => sum + row.cost_nano_usd, 0)).toBe(4_800_000);
  expect((await sylk(["usage", "--session", "another"])).out).toBe("no model was called yet\n");
  expect(await sylk(["usage", "--by", "weather"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("session, role, model") as string,
  });
});

test("the variables for a local server are enough, and its trouble has its own exit code", async () => {
  await using server = await startWireServer(() => ({ text: "ready", usage: { input: 10, output: 1 } }));
  const sylk = project("llm:\n  retry: { external_degrading: { max_attempts: 1 } }\n  breaker: { consecutive_failures: 1 }\n");
  const env = { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: "secret-key-1" };
  expect(await sylk(["models", "test", "openai/tiny"], env)).toMatchObject({
    code: 0,
    out: expect.stringContaining("openai/tiny answered") as string,
  });
  server.respond = () => ({ status: 503, message: "down for repair, key secret-key-1" });
  const failed = await sylk(["models", "test", "openai/tiny"], env);
  expect(failed).toMatchObject({ code: 7, err: expect.stringContaining("down for repair") as string });
  expect(failed.err).not.toContain("secret-key-1");
  expect(await sylk(["models", "reset"], env)).toMatchObject({
    code: 7,
    out: expect.stringMatching(/^openai\/tiny {2}open until/) as string,
  });
  expect(await sylk(["models", "test", "openai/tiny"], env)).toMatchObject({
    code: 7,
    err: expect.stringContaining("sylk models reset") as string,
  });
  server.respond = () => ({ text: "ready" });
  expect(await sylk(["models", "reset", "openai/tiny"], env)).toMatchObject({ code: 0 });
  expect(await sylk(["models", "test", "openai/tiny"], env)).toMatchObject({ code: 0 });
  expect(await sylk(["models", "test", "anthropic/x"])).toMatchObject({
    code: 41,
    err: expect.stringContaining("set ANTHROPIC_API_KEY") as string,
  });
});

test("a local server is asked whether it is there: models list and doctor say when it is not, and any answer is one", async () => {
  const server = await startWireServer(() => ({ status: 401, message: "who are you" }));
  const sylk = project();
  const env = { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: "k" };
  expect((await sylk(["models", "list"], env)).out).toMatch(/openai\s+\S+\s+ready/);
  expect((await sylk(["doctor"], env)).out).toContain("OPENAI_BASE_URL is set");
  await server[Symbol.asyncDispose]();
  const silent = `${server.url}/v1 does not answer`;
  expect((await sylk(["models", "list"], env)).out).toContain(silent);
  const doctor = await sylk(["doctor"], env);
  expect(doctor.out).toContain(`openai: ${silent}`);
  expect(doctor.out).toContain("start the server there");
  // One that nobody set up is no trouble.
  expect((await sylk(["doctor"], { OPENAI_API_KEY: "k" })).out).not.toContain("does not answer");
});
