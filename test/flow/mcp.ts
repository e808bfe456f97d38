/** What `mcp.test.ts` and its long form share. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { stringify } from "yaml";
import { systemPaths } from "../../src/kernel/index.ts";
import { answering, askedThrough, choose, type Say } from "../support/answering.ts";
import { script, scriptedProject, type ScriptedCall, type ScriptedProject } from "../support/scripted-project.ts";

export const never = new AbortController().signal;

export const FAKE = path.resolve("test/support/fake-mcp-server.mjs");

const enough: ScriptedCall = { name: "ask_user", input: { question: "enough?" } };

export const call = (tool: string, args: object = {}, server = "fake"): ScriptedCall => ({
  name: "mcp_call",
  input: { server, tool, arguments: args },
});

export const find = (query?: string): ScriptedCall => ({ name: "mcp_tools", input: query === undefined ? {} : { query } });

interface Setup {
  /** Servers by name, in the user's own file unless a project's is named. */
  servers?: Record<string, object>;
  file?: string;
  files?: Record<string, string>;
  env?: Record<string, string>;
  settings?: object;
  /** The user's rules. */
  permissions?: object;
  goal?: string;
  role?: string;
  type?: string;
  /** What the user says to what the folder brings, before the task begins. */
  trust?: "yes" | "no";
}

export const fakeServer = (base: string, env: Record<string, string> = {}) => ({
  command: process.execPath,
  args: [FAKE],
  env: { CALLS: path.join(base, "calls"), STARTS: path.join(base, "starts"), DIR: "${SYLK_PROJECT_DIR}", ...env },
});

export function project(
  steps: readonly ScriptedCall[],
  { servers, file, files = {}, env = {}, settings = {}, permissions = {} }: Setup = {},
): ScriptedProject {
  const made = scriptedProject({ "a.txt": "one\n", ...files }, script([...steps, enough]));
  const text = JSON.stringify({ mcpServers: servers ?? { fake: fakeServer(made.base, env) } });
  const { config } = systemPaths.dirs({ env: made.env, platform: process.platform });
  mkdirSync(config, { recursive: true });
  writeFileSync(path.join(config, "config.yaml"), stringify(settings));
  writeFileSync(path.join(config, "permissions.yaml"), stringify(permissions));
  const to = file === undefined ? path.join(config, "mcp.json") : path.join(made.dir, file);
  mkdirSync(path.dirname(to), { recursive: true });
  writeFileSync(to, text);
  return made;
}

export const lines = (file: string): string[] => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []);

export async function worked(steps: readonly ScriptedCall[], setup: Setup = {}, say: Say = () => choose("once")) {
  const made = project(steps, setup);
  const app = await made.open({ attended: true });
  if (setup.trust !== undefined) await app.trust.decide(setup.trust);
  const common = { goal: setup.goal ?? "work on it", criteria: [], constraints: [], checks: [], profile: "default", maxSteps: undefined };
  const id = await app.tasks.start({
    ...common,
    model: made.rules,
    type: setup.type ?? "implement_feature",
    role: setup.role ?? "engineer",
    discoverChecks: false,
  });
  const told: string[] = [];
  const asked: string[] = [];
  await using _answers = answering(
    askedThrough(app.api),
    (question, answer) => app.questions.answer(question, answer, never),
    (question) => {
      asked.push(question.message);
      return say(question);
    },
  );
  const end = await app.tasks.run(id, (line) => void (line.type === "action" && told.push(`${line.action}: ${line.summary}`)), never);
  const contexts = await Promise.all(Array.from({ length: steps.length + 1 }, (_v, at) => app.tasks.context(id, at + 1)));
  const audit = [];
  for await (const line of app.audit.query({}, never)) audit.push(line);
  await app.close();
  return { ...made, id, end, told, asked, contexts, audit, steps: end.steps.map(({ actions }) => actions.join("\n")) };
}

export const actions = (tools: unknown): string[] => (tools as { name: string }[]).map(({ name }) => name);
