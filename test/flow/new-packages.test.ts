/** A task that would add a package: its registry is asked first, through the guard, and what is known is told. */
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import { openApp } from "../support/lab.ts";
import { script, scriptedProject, type ScriptedCall } from "../support/scripted-project.ts";
import { systemClock } from "../../src/kernel/index.ts";
import { systemPaths } from "../../src/kernel/index.ts";

const never = new AbortController().signal;
const KNOWN = ["got", "tiny-queue"];

async function registry(): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const name = (request.url ?? "").split("/")[1] ?? "";
    asked.push(name);
    if (KNOWN.includes(name)) response.end(JSON.stringify({ name, description: "something" }));
    else response.writeHead(404).end("{}");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

async function said(
  steps: ScriptedCall[],
  options: { registry?: string; deny?: string[]; config?: object; files?: Record<string, string> },
) {
  const files = { "package.json": '{\n  "dependencies": { "axios": "1" }\n}\n', ...options.files };
  const project = scriptedProject(files, script([...steps, { name: "ask_user", input: { question: "enough?" } }]));
  const env: Record<string, string> = {
    ...project.env,
    ...(options.registry === undefined ? {} : { npm_config_registry: options.registry }),
  };
  const { config } = systemPaths.dirs({ env, platform: process.platform });
  mkdirSync(config, { recursive: true });
  writeFileSync(path.join(config, "config.yaml"), stringify(options.config ?? {}));
  const app = await openApp({ cwd: project.dir, env, clock: systemClock, permissions: { deny: options.deny ?? [] } });
  const common = { goal: "work", criteria: [], constraints: [], checks: [], model: project.rules, profile: "minimal", maxSteps: undefined };
  const id = await app.tasks.start({ ...common, type: "implement_feature", role: "engineer" });
  const end = await app.tasks.run(id, () => undefined, never);
  await app.close();
  return end.steps.map(({ actions }) => actions.join());
}

const edit = (name: string): ScriptedCall => ({
  name: "edit_file",
  input: { path: "package.json", find: '"axios": "1"', replace: `"axios": "1", "${name}": "1"` },
});

test("~EFF-082: a package that does not exist is refused with near names, in a manifest and in a command; nobody is asked for it", async () => {
  const { url, asked } = await registry();
  const run = { name: "run_command", input: { command: "npm install reqeust-promised" } };
  const steps = await said([edit("axois"), run, edit("tiny-queue")], { registry: url });
  expect(steps[0]).toMatch(/edit_file.*not done: 127\.0\.0\.1:\d+ knows no package axois; near names: axios/u);
  expect(steps[1]).toMatch(/run_command.*not done: .*knows no package reqeust-promised/u);
  expect(steps[2]).toContain("changed package.json");
  expect(asked).toEqual(["axois", "reqeust-promised", "tiny-queue"]);
});

test("~EFF-081: what the project has for the same purpose is offered once; sent again it is done", async () => {
  const { url } = await registry();
  const steps = await said([edit("got"), edit("got")], { registry: url });
  expect(steps[0]).toContain("the project already has axios (HTTP requests)");
  expect(steps[1]).toContain("changed package.json");
});

test("~EFF-082: where the registry is closed, switched off or gone, the change is made and that is said", async () => {
  const { url, asked } = await registry();
  const closed = await said([edit("nothing-of-it")], { registry: url, deny: ["domain:127.0.0.1"] });
  expect(closed[0]).toMatch(/changed package\.json.*nothing-of-it could not be checked: .*may not be asked here/u);
  const off = await said([edit("nothing-of-it")], { registry: url, config: { tools: { package_check: "off" } } });
  expect(off[0]).toMatch(/changed package\.json.*switched off/u);
  const gone = await said([edit("nothing-of-it")], { registry: "http://127.0.0.1:1" });
  expect(gone[0]).toMatch(/changed package\.json.*does not answer/u);
  expect(asked).toEqual([]);
});

test("~EFF-082: a clone cannot name the registry that is asked", async () => {
  const { url, asked } = await registry();
  const steps = await said([edit("nothing-of-it")], {
    files: { ".npmrc": `registry=${url}\n`, ".sylk/config.yaml": stringify({ tools: { package_registries: { npm: url } } }) },
  });
  expect(steps[0]).toMatch(/changed package\.json.*could not be checked: the project names a registry of its own/u);
  expect(asked).toEqual([]);
});
