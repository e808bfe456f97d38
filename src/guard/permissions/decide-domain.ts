/** May this agent reach this host? Hosts match exactly; addresses and local names are never on a list by default. */
import { hasCapability } from "./rights.ts";
import { findDomainRule } from "./rules.ts";
import { SAFE_DOMAINS } from "./safe-lists.ts";
import { allow, ask, deny, denyByRule, type Decision, type PermissionContext } from "./types.ts";

/** Host of a URL or of `host:port`, lower-case, without a trailing dot; undefined when there is none. */
function hostOf(target: string): string | undefined {
  try {
    const url = new URL(target.includes("://") ? target : `https://${target}`);
    const host = url.hostname.toLowerCase().replace(/\.$/, "");
    return host === "" ? undefined : host;
  } catch {
    return undefined;
  }
}

export function decideDomain(context: PermissionContext, target: string, method: "read" | "any"): Decision {
  const capability = method === "read" && hasCapability(context.role, "network_read") ? "network_read" : "network";
  if (!hasCapability(context.role, capability)) return deny("role_insufficient", `${context.role.id} may not use the network`);
  const host = hostOf(target);
  if (host === undefined) return deny("not_a_host", `${target} names no host`);
  const listed = findDomainRule(context.rules, host);
  if (listed?.effect === "deny") return denyByRule(listed.scope, `${host} is closed by the rule ${listed.rule}`);
  if (context.useSafeLists && SAFE_DOMAINS.includes(host)) return allow("safe_list", host);
  if (listed !== undefined) return allow(`${listed.scope}_allowlist`, listed.rule);
  return ask(`connect to ${host}`, { kind: "domain", value: host });
}
