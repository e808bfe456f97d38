/**
 * May this agent call this tool of an MCP server? Whoever may run commands may ask for it; what a server says of its
 * own tools, such as that one only reads, is a claim and opens nothing.
 */
import { wording } from "../../kernel/index.ts";
import { hasCapability } from "./rights.ts";
import { findToolRule } from "./rules.ts";
import { allow, deny, denyByRule, type Decision, type PermissionContext } from "./types.ts";

/** Of a call in a reason; whoever asks a user shows the whole of it as well. */
const MAX_REASON_CHARS = 200;

export function decideTool(
  { role, rules }: PermissionContext,
  { server, tool, line }: { server: string; tool: string; line: string },
): Decision {
  if (!hasCapability(role, "execute") && !hasCapability(role, "execute_inspection"))
    return deny("role_insufficient", `${role.id} may not call tools of MCP servers`);
  const listed = findToolRule(rules, server, tool);
  if (listed?.effect === "deny") return denyByRule(listed.scope, `${server}/${tool} is closed by the rule mcp:${listed.rule}`);
  if (listed !== undefined) return allow(`${listed.scope}_allowlist`, `mcp:${listed.rule}`);
  return {
    kind: "ask",
    reason: wording.oneLine(line, MAX_REASON_CHARS),
    offers: [[{ kind: "tool", value: `${server}/${tool}` }], [{ kind: "tool", value: `${server}/*` }]],
  };
}
