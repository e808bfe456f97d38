/** Keys, permissions, secrets, and the trail of who was permitted what. Values of keys go in and never come out. */
import { z } from "zod";
import { auditPayload } from "../audit-record.ts";
import { CHOICES } from "../choices.ts";
import { defineCall, none, nothing } from "./define-call.ts";

const credentialSource = z.enum(["environment", "keychain", "project_file", "user_file"]);
const profile = z.string().optional();

const keyCheck = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("accepted") }),
  z.strictObject({ kind: z.literal("rejected"), status: z.int() }),
  /** The key may be fine: the provider could not be asked. */
  z.strictObject({ kind: z.literal("unreachable"), reason: z.string() }),
  /** No check is known for this provider. */
  z.strictObject({ kind: z.literal("unverifiable") }),
]);

const words = z.array(z.string());
const scope = z.enum(["user", "project"]);

const permissionList = z.array(
  z.strictObject({
    scope,
    file: z.string(),
    rules: z.strictObject({
      commands: words,
      lines: words,
      domains: words,
      tools: words,
      paths: z.record(z.string(), z.enum(["read", "write", "delete"])),
      deny_commands: words,
      deny_domains: words,
      deny_paths: words,
      deny_tools: words,
      credentials: words,
    }),
  }),
);

const secretScan = z.strictObject({
  path: z.string(),
  /** `skip`: its contents never leave; `redact`: readable after redaction. */
  handling: z.enum(["skip", "redact", "normal"]),
  /** The pattern of sensitive files it matches. */
  pattern: z.string().optional(),
  findings: z.array(z.strictObject({ pattern: z.string(), line: z.int(), certain: z.boolean() })),
});

const auditFilter = z.strictObject({
  since_ms: z.number().optional(),
  until_ms: z.number().optional(),
  category: z.enum(CHOICES.audit.category).optional(),
  severity: z.enum(CHOICES.audit.severity).optional(),
  outcome: z.enum(CHOICES.audit.outcome).optional(),
  session: z.string().optional(),
  task: z.string().optional(),
  /** The actor, or the agent's type. */
  agent: z.string().optional(),
  action: z.string().optional(),
  /** Glob. */
  target: z.string().optional(),
  /** The same as a regular expression. */
  target_pattern: z.string().optional(),
  limit: z.int().min(0).optional(),
  /** Leave out the first. */
  offset: z.int().min(0).optional(),
});

const auditLine = auditPayload.extend({
  position: z.int(),
  id: z.string(),
  at: z.int(),
  actor: z.string(),
  hash: z.string(),
});

export const commands = {
  /** Checks the key with its provider, then stores it. `unverified` stores it although it could not be checked. */
  "auth.set": defineCall(
    z.strictObject({ provider: z.string(), key: z.string(), profile, unverified: z.boolean() }),
    z.strictObject({
      source: credentialSource,
      profile: z.string(),
      check: z.enum(["accepted", "rejected", "unreachable", "unverifiable"]),
    }),
  ),
  /** Where it was removed from; empty when there was nothing. */
  "auth.remove": defineCall(z.strictObject({ provider: z.string(), profile }), z.array(credentialSource)),
  "permission.allow": defineCall(z.strictObject({ rule: z.string(), scope }), nothing),
  /** Stands above whatever is allowed. */
  "permission.deny": defineCall(z.strictObject({ rule: z.string(), scope }), nothing),
  /** False when there was no such rule. */
  "permission.forget": defineCall(z.strictObject({ rule: z.string(), scope }), z.boolean()),
};

export const queries = {
  "auth.list": defineCall(
    z.strictObject({ profile }),
    z.array(z.strictObject({ provider: z.string(), profile: z.string(), source: credentialSource, place: z.string() })),
  ),
  /** Asks the provider whether it accepts the key that would be used. */
  "auth.test": defineCall(
    z.strictObject({ provider: z.string(), profile }),
    z.strictObject({ source: credentialSource, place: z.string(), check: keyCheck }),
  ),
  /** Remembered rules of the user and of this project. */
  "permission.list": defineCall(none, permissionList),
  /** What would happen to a command of this agent here, without running, asking or recording anything. */
  "permission.check": defineCall(
    z.strictObject({ role: z.string(), line: z.string() }),
    z.strictObject({ verdict: z.enum(["allow", "ask", "deny"]), why: z.string() }),
  ),
  "permission.capabilities": defineCall(z.strictObject({ role: z.string() }), words),
  "secret.scan": defineCall(z.strictObject({ file: z.string() }), secretScan),
  /** The text as a model would see it. */
  "secret.redact": defineCall(z.strictObject({ text: z.string() }), z.strictObject({ text: z.string(), redactions: z.int() })),
  /** A file as the index would see it. */
  "secret.view": defineCall(z.strictObject({ file: z.string() }), z.strictObject({ text: z.string() })),
  /** Matching entries after a position, oldest first; `next` is where to go on, null at the end. */
  "audit.page": defineCall(
    z.strictObject({ filter: auditFilter, after: z.int().min(0) }),
    z.strictObject({ lines: z.array(auditLine), next: z.int().nullable() }),
  ),
};
