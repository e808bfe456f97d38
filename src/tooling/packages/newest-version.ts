/** Which version of Sylk its registry has. Asked only when the user asks; nothing is sent but the address. */
import { z } from "zod";
import { isAbort, messageOf } from "../../kernel/index.ts";
import type { Result } from "../../protocol/api/index.ts";
import { boundedFetch } from "../../workspace/index.ts";
import { registryOf, type RegistryParts } from "./registries.ts";

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 4 * 1024 * 1024;
const PACKAGE = "sylk";

const manifestSchema = z.looseObject({
  version: z
    .string()
    .regex(/^\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/u)
    .max(100),
});

/** The user wants no traffic but that to model providers. */
export const isOffline = (env: RegistryParts["env"]): boolean => !["", "0", "false", undefined].includes(env["SYLK_OFFLINE"]);

/** Whether the first comes after the second; what comes before a release has a dash. */
function isNewer(one: string, other: string): boolean {
  const parts = (version: string): [number[], string] => {
    const [main = "", before = ""] = version.split("+")[0]?.split(/-(.*)/su) ?? [];
    return [main.split(".").map(Number), before];
  };
  const [[a, aBefore], [b, bBefore]] = [parts(one), parts(other)];
  const at = a.findIndex((number, i) => number !== b[i]);
  if (at !== -1) return (a[at] ?? 0) > (b[at] ?? 0);
  if (aBefore === "" || bBefore === "") return aBefore === "" && bBefore !== "";
  return aBefore.localeCompare(bBefore, "en", { numeric: true }) > 0;
}

export async function newestVersion(current: string, parts: RegistryParts, signal: AbortSignal): Promise<Result<"project.newest">> {
  if (isOffline(parts.env)) return { kind: "unknown", current, why: "SYLK_OFFLINE is set: nothing but model providers is asked" };
  const registry = registryOf({ ecosystem: "npm", name: PACKAGE }, parts);
  if (registry === undefined) return { kind: "unknown", current, why: "your registry cannot be asked without credentials" };
  try {
    const response = await boundedFetch(MAX_BYTES)(`${registry}/${PACKAGE}/latest`, {
      headers: { accept: "application/json", "user-agent": "sylk" },
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    if (!response.ok) return { kind: "unknown", current, why: `${registry} answered ${response.status}` };
    const manifest = manifestSchema.safeParse(await response.json());
    if (!manifest.success) return { kind: "unknown", current, why: `${registry} names no version` };
    const newest = manifest.data.version;
    return { kind: "known", current, newest, is_newer: isNewer(newest, current) };
  } catch (error) {
    if (signal.aborted && isAbort(error)) throw error;
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : "";
    return { kind: "unknown", current, why: `${registry} does not answer: ${messageOf(error)}${cause}` };
  }
}
