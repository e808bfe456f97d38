/** Sends this process's requests through the proxy people have set for everything else. */
import type { Environment } from "./types.ts";

const NAMES = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"] as const;
let applied = "";

export async function useProxyFrom(env: Environment): Promise<void> {
  const wanted = Object.fromEntries(NAMES.flatMap((name) => (env[name] === undefined || env[name] === "" ? [] : [[name, env[name]]])));
  const proxied = Object.keys(wanted).some((name) => !/no_proxy/i.test(name));
  const key = JSON.stringify(wanted);
  if (!proxied || key === applied) return;
  applied = key;
  // Loading it brings a whole HTTP client, which most commands never use.
  const { default: http } = await import("node:http");
  // Node before 24.14 has no such switch; there NODE_USE_ENV_PROXY does the same.
  if (typeof http.setGlobalProxyFromEnv !== "function") return;
  http.setGlobalProxyFromEnv(wanted);
}
