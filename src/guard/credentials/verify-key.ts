/** Asks a provider whether it accepts a key, with the lightest call it has (CRE-005). */
import { isAbort, messageOf } from "../../kernel/index.ts";
import { SERVICES } from "./services.ts";

export type KeyCheck =
  | { kind: "accepted" }
  | { kind: "rejected"; status: number }
  /** The key may be fine: the provider could not be asked. */
  | { kind: "unreachable"; reason: string }
  /** No check is known for this provider. */
  | { kind: "unverifiable" };

const TIMEOUT_MS = 10_000;

export async function verifyKey(options: {
  provider: string;
  key: string;
  env: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
}): Promise<KeyCheck> {
  const { provider, key, env, signal } = options;
  const service = Object.hasOwn(SERVICES, provider) ? SERVICES[provider] : undefined;
  const call = service?.check;
  if (service === undefined || call === undefined) return { kind: "unverifiable" };
  const base = service.baseUrls.map((name) => env[name]).find((value) => (value ?? "") !== "") ?? call.baseUrl;
  try {
    const response = await fetch(call.url(base.replace(/\/+$/, "")), {
      headers: call.headers(key),
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    await response.body?.cancel();
    if (response.ok) return { kind: "accepted" };
    if (response.status === 401 || response.status === 403 || response.status === 400) return { kind: "rejected", status: response.status };
    return { kind: "unreachable", reason: `the provider answered ${response.status}` };
  } catch (error) {
    if (signal.aborted && isAbort(error)) throw error;
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : "";
    return { kind: "unreachable", reason: `${messageOf(error)}${cause}` };
  }
}
