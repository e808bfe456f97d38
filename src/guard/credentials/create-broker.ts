/**
 * Hands credentials to tools without showing them to agents. An agent names a credential; the tool gets a
 * handle that works once, within 30 seconds, for one tool call (CRE-008…CRE-014). Values are kept in
 * buffers that are wiped, and never enter errors, results or records.
 */
import { newId, type Clock } from "../../kernel/index.ts";
import type { RoleSpec } from "../../protocol/index.ts";
import { isInScope } from "./credential-names.ts";
import type { Credentials } from "./open-credentials.ts";

const HANDLE_LIFETIME_MS = 30_000;

export interface CredentialHandle {
  readonly id: string;
  readonly provider: string;
  readonly agentId: string;
  readonly role: string;
  readonly toolCallId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface CredentialRequest {
  agentId: string;
  role: string;
  provider: string;
  toolCallId: string;
  reason: string;
}

export type RequestOutcome =
  | { kind: "granted"; handle: CredentialHandle }
  | { kind: "consent_required"; role: string; provider: string; message: string }
  | { kind: "denied"; reason: "scope_violation" | "credential_not_found" | "user_refused" };

export type ResolveOutcome =
  | { kind: "resolved"; value: string }
  | { kind: "refused"; reason: "unknown" | "expired" | "used" | "revoked" | "other_tool_call" };

export interface CredentialRecord {
  action: "granted" | "denied" | "resolved" | "revoked" | "pending" | "expired";
  agentId: string;
  role: string;
  provider: string;
  toolCallId: string;
  handleId?: string;
  reason?: string;
}

export interface CredentialBroker {
  request(request: CredentialRequest): Promise<RequestOutcome>;
  /** The user's answer to `consent_required`, for this session or for good. */
  consent(role: string, provider: string, answer: "always" | "session" | "deny"): void;
  grants(): { role: string; provider: string; scope: "always" | "session" }[];
  resolve(handleId: string, toolCallId: string): Promise<ResolveOutcome>;
  /** Ends a tool call: unused handles die, whatever the call's end was. */
  finish(toolCallId: string): Promise<void>;
  /** Drops expired handles; called periodically by whoever owns the broker. */
  sweep(): Promise<void>;
}

export interface BrokerOptions {
  credentials: Pick<Credentials, "find">;
  clock: Clock;
  record: (record: CredentialRecord) => Promise<void>;
  /** What a role may ask for; undefined: nothing. */
  scopeOf: (role: string) => RoleSpec["credentials"] | undefined;
  /** Consents given earlier, as `role:provider`. */
  consents?: readonly string[] | undefined;
  /** Told when the user consents for good, so that it can be kept. */
  onConsent?: ((consent: string) => void) | undefined;
  /** Told about each value that goes out, so that it can be redacted wherever it turns up. */
  onValue: (value: string) => void;
}

interface Held {
  handle: CredentialHandle;
  state: "active" | "used" | "expired" | "revoked";
  value: Buffer;
}

export function createBroker(options: BrokerOptions): CredentialBroker {
  const { clock, record } = options;
  const held = new Map<string, Held>();
  const consents = new Map<string, "always" | "session" | "deny">((options.consents ?? []).map((key) => [key, "always"]));
  const keyOf = (role: string, provider: string): string => `${role}:${provider}`;

  const entryOf = ({ handle }: Held, action: CredentialRecord["action"]): CredentialRecord => ({
    action,
    agentId: handle.agentId,
    role: handle.role,
    provider: handle.provider,
    toolCallId: handle.toolCallId,
    handleId: handle.id,
  });
  const end = async (item: Held, state: "used" | "expired" | "revoked"): Promise<void> => {
    item.state = state;
    item.value.fill(0);
    await record(entryOf(item, state === "used" ? "resolved" : state));
  };

  return {
    async request(request) {
      const { agentId, role, provider, toolCallId, reason } = request;
      const base = { agentId, role, provider, toolCallId };
      const denied = async (why: "scope_violation" | "credential_not_found" | "user_refused"): Promise<RequestOutcome> => {
        await record({ action: "denied", ...base, reason: why });
        return { kind: "denied", reason: why };
      };
      const scope = options.scopeOf(role);
      if (!isInScope(scope, provider)) return denied("scope_violation");
      const consent = consents.get(keyOf(role, provider));
      if (consent === "deny") return denied("user_refused");
      if (scope?.require_auth.includes(provider) === true && consent === undefined) {
        await record({ action: "pending", ...base, reason: "awaiting_user_auth" });
        return { kind: "consent_required", role, provider, message: `${role} wants to use your ${provider} account (${reason})` };
      }
      const found = await options.credentials.find(provider);
      if (found.kind === "missing") return denied("credential_not_found");
      const now = clock.now();
      const handle: CredentialHandle = { id: newId("cred", now), ...base, createdAt: now, expiresAt: now + HANDLE_LIFETIME_MS };
      await record({ action: "granted", ...base, handleId: handle.id, reason });
      held.set(handle.id, { handle, state: "active", value: Buffer.from(found.value) });
      return { kind: "granted", handle };
    },
    consent(role, provider, answer) {
      consents.set(keyOf(role, provider), answer);
      if (answer === "always") options.onConsent?.(keyOf(role, provider));
    },
    grants: () =>
      [...consents].flatMap(([key, scope]) => {
        const [role = "", provider = ""] = key.split(":");
        return scope === "deny" ? [] : [{ role, provider, scope }];
      }),
    async resolve(handleId, toolCallId) {
      const item = held.get(handleId);
      if (item === undefined) return { kind: "refused", reason: "unknown" };
      if (item.handle.toolCallId !== toolCallId) return { kind: "refused", reason: "other_tool_call" };
      if (item.state !== "active") return { kind: "refused", reason: item.state };
      if (clock.now() >= item.handle.expiresAt) {
        await end(item, "expired");
        return { kind: "refused", reason: "expired" };
      }
      const value = item.value.toString("utf8");
      options.onValue(value);
      await end(item, "used");
      return { kind: "resolved", value };
    },
    async finish(toolCallId) {
      for (const [id, item] of held) {
        if (item.handle.toolCallId !== toolCallId) continue;
        if (item.state === "active") await end(item, "revoked");
        held.delete(id);
      }
    },
    async sweep() {
      for (const item of held.values()) if (item.state === "active" && clock.now() >= item.handle.expiresAt) await end(item, "expired");
    },
  };
}
