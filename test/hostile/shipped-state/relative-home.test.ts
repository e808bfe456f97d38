/**
 * The attacker's clone holds what a home of Sylk's would: a configuration with hooks, compiled code. The victim's environment
 * names a relative folder as the place of such a home, which is one of the clone's when the victim stands in it.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { clone, repository, victim } from "../support.ts";

test("a relative SYLK_HOME is refused in words, and nothing of the clone's is read or run", async () => {
  const attacked = victim();
  const ran = path.join(attacked.outside, "ran");
  const hook = `hooks: { SessionStart: [ { hooks: [ { type: command, command: "touch '${ran}'" } ] } ] }\n`;
  const rules = 'rules: [ { when: { step: ">=1" }, answer: { tool_calls: [ { name: complete, input: { summary: x } } ] } } ]\n';
  const repo = repository(attacked.base, { "home/config.yaml": hook, "rules.yaml": rules });
  const folder = clone(repo, path.join(attacked.base, "clone"));
  const start = ["task", "start", "look", "--no-checks", "-m", `scripted/${folder}/rules.yaml`];
  for (const place of ["home", "./home", "../clone/home"]) {
    attacked.env["SYLK_HOME"] = place;
    const { code, err } = await attacked.sylk(folder, ...start);
    expect({ code, ran: existsSync(ran) }).toEqual({ code: 52, ran: false });
    expect(err).toContain(`SYLK_HOME is ${JSON.stringify(place)}, not the full path of a folder`);
  }
});

test("compiled code is neither read from nor put into a relative folder", () => {
  const attacked = victim();
  const folder = clone(repository(attacked.base, { "a.txt": "one\n" }), path.join(attacked.base, "clone"));
  const { SYLK_HOME: _home, NODE_COMPILE_CACHE: _cache, ...env } = attacked.env;
  for (const more of [{ XDG_CACHE_HOME: "cache" }, { SYLK_HOME: "cache" }, { HOME: "cache" }])
    spawnSync(path.resolve("sylk"), ["--help"], { cwd: folder, env: { ...env, ...more }, stdio: "ignore" });
  expect(readdirSync(folder).sort()).toEqual([".git", "a.txt"]);
});
