/** The project itself: its settings, what it brings and whether that counts, its roles, its health. */
import { z } from "zod";
import { doctorReport } from "../doctor.ts";
import { defineCall, none } from "./define-call.ts";

const setting = z.strictObject({
  key: z.string(),
  value: z.json(),
  layer: z.string(),
  source: z.string(),
  description: z.string().optional(),
});

const settingWarning = z.strictObject({
  path: z.string(),
  message: z.string(),
  source_layer: z.string(),
  source: z.string(),
  rejected_value: z.string().optional(),
  default_used: z.json().optional(),
  /** Nothing is wrong with the value; it is not this project's to set, or not yet. */
  cause: z.enum(["untrusted", "personal"]).optional(),
});

const thingKind = z.enum([
  "setting",
  "skill",
  "role",
  "prompt",
  "task_type",
  "flow",
  "hook",
  "command",
  "mcp_server",
  "tool",
  "skill_template",
  "memory",
  "check",
]);

const trustStatus = z.strictObject({
  project: z.string(),
  /** Where the answer is kept. */
  file: z.string(),
  /** nothing: the folder brings nothing that needs trust; changed: something new since the answer. */
  state: z.enum(["nothing", "trusted", "refused", "undecided", "changed"]),
  things: z.array(
    z.strictObject({
      kind: thingKind,
      name: z.string(),
      hash: z.string(),
      /** What people should see beside the name. */
      shown: z.string().optional(),
      standing: z.enum(["trusted", "refused", "added", "changed"]),
    }),
  ),
  /** Trusted once, no longer there. */
  removed: z.array(z.strictObject({ kind: thingKind, name: z.string() })),
  unusable: z.array(z.strictObject({ name: z.string(), reason: z.string() })),
  /** Why the kept answer does not count. */
  problem: z.string().optional(),
});

const roleProblem = z.strictObject({ file: z.string(), field: z.string().optional(), message: z.string() });

const agentList = z.strictObject({
  agents: z.array(
    z.strictObject({
      role: z.string(),
      summary: z.string(),
      /** Files beside its own that say something of it. */
      changed_by: z.array(z.string()),
      problems: z.int(),
    }),
  ),
  problems: z.array(roleProblem),
});

const agentDetail = z.strictObject({
  role: z.string(),
  fields: z.array(z.strictObject({ name: z.string(), value: z.json(), from: z.string(), file: z.string().optional() })),
  problems: z.array(roleProblem),
});

const hookList = z.array(
  z.strictObject({
    event: z.string(),
    matcher: z.string().optional(),
    command: z.string(),
    timeout_ms: z.number(),
    from: z.enum(["user", "project"]),
    /** Where it is written. */
    file: z.string(),
    counts: z.boolean(),
    /** Why not. */
    why: z.string().optional(),
  }),
);

const hookTrial = z.strictObject({
  event: z.string(),
  /** What the hooks were told. */
  input: z.record(z.string(), z.json()),
  hooks: z.array(
    z.strictObject({
      command: z.string(),
      file: z.string(),
      /** What would become of the work; fail: it would go on, and the hook's failure would be counted. */
      would: z.enum(["go_on", "block", "fail"]),
      says: z.string().optional(),
      context: z.string().optional(),
      updated_input: z.record(z.string(), z.json()).optional(),
    }),
  ),
});

const initReport = z.strictObject({
  project: z.string(),
  private: z.string(),
  created: z.array(z.string()),
  kept: z.array(z.string()),
});

const importRequest = {
  tool: z.enum(["claude", "codex", "gemini", "opencode", "cursor", "taskmaster"]),
  /** In place of the project's folder or, for the user's own, of the home folder. */
  from: z.string().optional(),
  /** What the user has, what the project has; both when absent. */
  scope: z.enum(["user", "project"]).optional(),
};

const importPlan = {
  tool: importRequest.tool,
  /** Of what would be written. */
  digest: z.string(),
  items: z.array(
    z.strictObject({
      kind: z.enum(["rules", "skill", "command", "mcp_server", "role", "hooks", "permissions", "tasks"]),
      name: z.string(),
      scope: z.enum(["user", "project"]),
      from: z.string(),
      /** Null: nothing is written. */
      to: z.string().nullable(),
      /** new: would be written; there: is so already; clash: something else has its place; used: read here as it is. */
      state: z.enum(["new", "there", "clash", "used", "left_out"]),
      why: z.string().optional(),
      /** Variables to set before it works. */
      set: z.array(z.string()),
    }),
  ),
};

export const commands = {
  /** Writes what is new of the plan with this digest; another one is refused. */
  "import.apply": defineCall(
    z.strictObject({ ...importRequest, digest: z.string() }),
    z.strictObject({ ...importPlan, written: z.array(z.string()) }),
  ),
  /** Runs a line as the user typed it, outside every sandbox. What it says is heard live, as output of `id`. */
  "project.shell": defineCall(
    z.strictObject({ id: z.string(), command: z.string().min(1) }),
    z.discriminatedUnion("kind", [
      z.strictObject({ kind: z.literal("ended"), exit_code: z.int().nullable(), signal: z.string().nullable() }),
      z.strictObject({ kind: z.literal("not_started"), why: z.string() }),
    ]),
  ),
  /** Runs the user's own program for the line below a session's input with these facts; null: none is set, or it said nothing in time. */
  "project.status_line": defineCall(
    z.strictObject({ facts: z.record(z.string(), z.json()) }),
    z.strictObject({ text: z.string().nullable() }),
  ),
  "project.init": defineCall(z.strictObject({ share: z.boolean() }), initReport),
  /** Without a value, it is taken out of the file. */
  "setting.set": defineCall(
    z.strictObject({ key: z.string(), value: z.string().optional(), scope: z.enum(["user", "project", "local"]) }),
    z.strictObject({ file: z.string(), value: z.json().optional() }),
  ),
  /** all: the answer for everything that is there now; pending: for what has none yet. */
  "trust.decide": defineCall(
    z.strictObject({
      answer: z.enum(["yes", "no"]),
      /** What the user was shown; anything else keeps waiting for an answer. */
      things: z.array(z.strictObject({ kind: thingKind, name: z.string(), hash: z.string() })),
      /** What was said earlier about everything else. */
      earlier: z.enum(["keep", "forget"]),
    }),
    trustStatus,
  ),
  /** Runs the hooks of an event that count, with a made-up input. */
  "hook.test": defineCall(z.strictObject({ event: z.string(), tool: z.string().optional() }), hookTrial),
};

export const queries = {
  /** What another tool has, and what would become of it here; writes nothing. */
  "import.plan": defineCall(z.strictObject(importRequest), z.strictObject(importPlan)),
  "setting.list": defineCall(none, z.strictObject({ settings: z.array(setting), warnings: z.array(settingWarning) })),
  "setting.get": defineCall(z.strictObject({ key: z.string() }), setting),
  /** Where files are. */
  "setting.paths": defineCall(none, z.record(z.string(), z.string())),
  /** JSON Schema of the configuration. */
  "setting.schema": defineCall(none, z.record(z.string(), z.json())),
  /** `checks`: the project's own commands too: all of them, those that need an answer here, or none. */
  "trust.status": defineCall(z.strictObject({ checks: z.enum(["all", "needed", "none"]) }), trustStatus),
  "hook.list": defineCall(none, hookList),
  "agent.list": defineCall(none, agentList),
  "agent.show": defineCall(z.strictObject({ role: z.string() }), agentDetail),
  /** This machine and project, and how to fix what is wrong; quick: without trying what takes long to start. */
  "project.doctor": defineCall(z.strictObject({ quick: z.boolean().optional() }), doctorReport),
  /** Asks the registry of npm which version is the newest. */
  "project.newest": defineCall(
    none,
    z.discriminatedUnion("kind", [
      z.strictObject({ kind: z.literal("known"), current: z.string(), newest: z.string(), is_newer: z.boolean() }),
      z.strictObject({ kind: z.literal("unknown"), current: z.string(), why: z.string() }),
    ]),
  ),
  /** On which branch the user stands; null: on none, or not in git. */
  "project.branch": defineCall(none, z.strictObject({ branch: z.string().nullable() })),
  /** What a user should know about where the project's files stand. */
  "project.notices": defineCall(none, z.array(z.string())),
};
