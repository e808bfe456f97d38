/** The project itself: settings, trust, roles, health. */
import type { Json } from "../../kernel/index.ts";
import type { ImportApi } from "../../forge/index.ts";
import type { AgentApi, HookApi } from "../../team/index.ts";
import type { Result } from "../../protocol/api/index.ts";
import type { CommandHandlers, QueryHandlers } from "../create-api.ts";
import type { DoctorApi, UserShell } from "../../tooling/index.ts";
import type { Setting, SettingApi } from "../setting-api.ts";
import type { TrustApi } from "../trust-api.ts";
import { wire } from "./wire.ts";

export interface ProjectParts {
  settings: SettingApi;
  trust: TrustApi;
  agents: AgentApi;
  hooks: HookApi;
  doctor: () => Promise<DoctorApi>;
  shell: () => Promise<UserShell>;
  branch: () => Promise<string | null>;
  newest: (signal: AbortSignal) => Promise<Result<"project.newest">>;
  notices: readonly string[];
  init: (options: { share: boolean }) => Result<"project.init">;
  imports: ImportApi;
}

/** A value is data: its names are not ours to change. */
const plain = (value: unknown): Json => JSON.parse(JSON.stringify(value ?? null)) as Json;

const settingOf = (setting: Setting) => ({ ...setting, value: plain(setting.value) });

export function projectHandlers({ settings, trust, agents, hooks, doctor, shell, branch, newest, notices, init, imports }: ProjectParts) {
  return {
    commands: {
      "project.shell": async (request, signal) => (await shell()).run(request, signal),
      "project.status_line": async ({ facts }, signal) => {
        const { value } = settings.get("terminal.status_command");
        return { text: typeof value === "string" ? await (await shell()).say(value, `${JSON.stringify(facts)}\n`, signal) : null };
      },
      "project.init": async (options) => init(options),
      "import.apply": (request) => imports.apply(request),
      "setting.set": async ({ key, value, scope }) => {
        const changed = settings.set(key, value, scope);
        return { file: changed.file, value: plain(changed.value) };
      },
      "trust.decide": (decision) => trust.decide(decision),
      "hook.test": async ({ event, tool }, signal) => plain(await hooks.test(event, { tool }, signal)) as Result<"hook.test">,
    } satisfies Partial<CommandHandlers>,
    queries: {
      "setting.list": async () => ({
        settings: settings.list().map(settingOf),
        warnings: settings.warnings().map(({ defaultUsed, ...warning }) => ({
          ...wire(warning),
          ...(defaultUsed === undefined ? {} : { default_used: plain(defaultUsed) }),
        })),
      }),
      "import.plan": (request) => imports.plan(request),
      "setting.get": async ({ key }) => settingOf(settings.get(key)),
      "setting.paths": async () => settings.paths(),
      "setting.schema": async () => plain(settings.schema()) as Record<string, Json>,
      "trust.status": (options) => trust.status(options),
      "hook.list": async () => hooks.list(),
      "agent.list": async () => agents.list(),
      "agent.show": async ({ role }) => {
        const { fields, problems, ...found } = agents.show(role);
        return { ...found, fields: fields.map((field) => ({ ...field, value: plain(field.value) })), problems: [...problems] };
      },
      "project.doctor": async ({ quick }, signal) => (await doctor()).run(quick === true, signal),
      "project.newest": (_, signal) => newest(signal),
      "project.branch": async () => ({ branch: await branch() }),
      "project.notices": async () => [...notices],
    } satisfies Partial<QueryHandlers>,
  };
}
