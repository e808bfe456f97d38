/**
 * Gives one tool call the credentials it names, as variables of its own environment, and takes them back
 * however the call ends (CRE-013, CRE-014). The agent sees the names only.
 */
import { newId, type Clock } from "../../kernel/index.ts";
import type { CredentialBroker } from "./create-broker.ts";
import { plainVariableOf } from "./credential-names.ts";

export type CredentialUse<T> = { kind: "done"; value: T } | { kind: "refused"; provider: string; reason: string };

export interface ToolCredentials {
  use<T>(
    request: { providers: readonly string[]; reason: string; signal?: AbortSignal | undefined },
    work: (env: Record<string, string>) => Promise<T>,
  ): Promise<CredentialUse<T>>;
}

/** Whom to ask; rejects while there is no answer. */
export interface CredentialAsker {
  /** Before the first use of an account. */
  consent(provider: string, message: string, signal: AbortSignal | undefined): Promise<"always" | "session" | "deny">;
  /** For a key that is not there. True: it is now. */
  supply(provider: string, message: string, signal: AbortSignal | undefined): Promise<boolean>;
}

export interface ToolCredentialOptions {
  broker: CredentialBroker;
  agentId: string;
  role: string;
  clock: Clock;
  ask: CredentialAsker;
}

const REASONS = {
  scope_violation: "this role may not use it",
  credential_not_found: "there is no such credential",
  user_refused: "the user refused",
} as const;

export function createToolCredentials({ broker, agentId, role, clock, ask }: ToolCredentialOptions): ToolCredentials {
  return {
    async use({ providers, reason, signal }, work) {
      const toolCallId = newId("call", clock.now());
      const env: Record<string, string> = {};
      try {
        for (const provider of new Set(providers)) {
          const request = { agentId, role, provider, toolCallId, reason };
          let outcome = await broker.request(request);
          if (outcome.kind === "consent_required") {
            broker.consent(role, provider, await ask.consent(provider, outcome.message, signal));
            outcome = await broker.request(request);
          }
          if (
            outcome.kind === "denied" &&
            outcome.reason === "credential_not_found" &&
            (await ask.supply(provider, `${role} needs a key of ${provider}, and there is none (${reason})`, signal))
          )
            outcome = await broker.request(request);
          if (outcome.kind !== "granted")
            return { kind: "refused", provider, reason: outcome.kind === "denied" ? REASONS[outcome.reason] : outcome.message };
          const resolved = await broker.resolve(outcome.handle.id, toolCallId);
          if (resolved.kind === "refused") return { kind: "refused", provider, reason: `its handle is ${resolved.reason}` };
          env[plainVariableOf(provider)] = resolved.value;
        }
        return { kind: "done", value: await work(env) };
      } finally {
        for (const name of Object.keys(env)) env[name] = "";
        await broker.finish(toolCallId);
      }
    },
  };
}
