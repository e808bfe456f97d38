/** Which models a server offers that speaks OpenAI's protocol, as Ollama and most local ones do. */
import { z } from "zod";
import { isAbort, messageOf } from "../../kernel/index.ts";
import type { Result } from "../../protocol/api/index.ts";
import { boundedFetch } from "./bounded-fetch.ts";

const TIMEOUT_MS = 3_000;
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_MODELS = 200;

const listSchema = z.looseObject({ data: z.array(z.looseObject({ id: z.string().min(1).max(200) })) });

/** `127.0.0.1:11434` is enough; an address without a path has its version at the usual place. */
function baseOf(address: string): string | undefined {
  try {
    const url = new URL(/^https?:\/\//iu.test(address) ? address : `http://${address}`);
    if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
    const path = url.pathname.replace(/\/+$/u, "");
    return `${url.origin}${path === "" ? "/v1" : path}`;
  } catch {
    return undefined;
  }
}

/** Why nobody is there; undefined when somebody answers, whatever the answer is. */
export async function whySilent(base: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const response = await fetchList(base, signal);
    await response.body?.cancel();
    return undefined;
  } catch (error) {
    return silence(base, error, signal);
  }
}

function fetchList(base: string, signal: AbortSignal): Promise<Response> {
  const ask = boundedFetch({ maxResponseBytes: MAX_BYTES, maxAnswerBytes: MAX_BYTES });
  return ask(`${base}/models`, { redirect: "error", signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) });
}

function silence(base: string, error: unknown, signal: AbortSignal): string {
  if (signal.aborted && isAbort(error)) throw error;
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : "";
  return `${base} does not answer: ${messageOf(error)}${cause}`;
}

export async function servedModels(address: string, signal: AbortSignal): Promise<Result<"model.served">> {
  const base = baseOf(address.trim());
  if (base === undefined) return { kind: "unreachable", why: "that is no address" };
  try {
    const response = await fetchList(base, signal);
    if (!response.ok) return { kind: "unreachable", why: `${base} answered ${response.status}` };
    const list = listSchema.safeParse(await response.json());
    if (!list.success) return { kind: "unreachable", why: `${base} answered with no list of models` };
    return { kind: "served", base_url: base, models: list.data.data.slice(0, MAX_MODELS).map(({ id }) => id) };
  } catch (error) {
    return { kind: "unreachable", why: silence(base, error, signal) };
  }
}
