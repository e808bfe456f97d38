/** A role of another tool as a file of ours: who it is word for word, what it may do by the tools it was given there. */
import { stringify } from "yaml";
import { wording } from "../../kernel/index.ts";
import { roleFields } from "../../protocol/index.ts";

type Fields = Readonly<Record<string, unknown>>;
type Capability = "file_read" | "file_write" | "execute" | "execute_inspection" | "network_read";

const ALL: readonly Capability[] = ["file_read", "file_write", "execute", "execute_inspection", "network_read"];
const LOOKING: readonly Capability[] = ["file_read", "execute_inspection", "network_read"];
/** By how the tools call what they offer. */
const TOOLS: readonly [RegExp, readonly Capability[]][] = [
  [/^(?:read|grep|glob|ls|list|notebookread|search|read_\w+|list_directory|search_file_content|codebase\w*)$/iu, ["file_read"]],
  [/^(?:edit|write|multiedit|notebookedit|patch|replace|write_\w+|edit_\w+|apply_patch)$/iu, ["file_write"]],
  [/^(?:bash|shell|run_shell_command|terminal|execute)$/iu, ["execute", "execute_inspection"]],
  [/^(?:webfetch|websearch|web_fetch|web_search|google_web_search|fetch)$/iu, ["network_read"]],
];
const TIERS: readonly [RegExp, string][] = [
  [/haiku|flash|mini|fast/iu, "fast"],
  [/opus|pro\b|deep/iu, "deep"],
  [/sonnet/iu, "balanced"],
];

const capabilitiesOf = (tool: string): readonly Capability[] =>
  TOOLS.find(([name]) => name.test(tool.replace(/\(.*$/u, "").trim()))?.[1] ?? [];

const isNo = (value: unknown): boolean => value === false || value === "deny";

function capabilities(fields: Fields): readonly Capability[] {
  if (fields["readonly"] === true || fields["sandbox_mode"] === "read-only") return LOOKING;
  const { tools, permission } = fields;
  const named = typeof tools === "string" ? tools.split(",") : Array.isArray(tools) ? tools.map(String) : undefined;
  if (named !== undefined && !named.includes("*")) {
    const given = new Set<Capability>(["file_read", ...named.flatMap(capabilitiesOf)]);
    return ALL.filter((one) => given.has(one));
  }
  const refused = [tools, permission]
    .filter((map): map is Fields => typeof map === "object" && map !== null && !Array.isArray(map))
    .flatMap((map) => Object.entries(map))
    .filter(([, value]) => isNo(value))
    .flatMap(([tool]) => capabilitiesOf(tool));
  return ALL.filter((one) => one === "file_read" || !refused.includes(one));
}

function modelOf(model: unknown): string | undefined {
  if (typeof model !== "string" || model === "inherit") return undefined;
  return model.includes("/") ? model : TIERS.find(([name]) => name.test(model))?.[1];
}

/** Undefined: its text is empty or longer than a role may be. */
export function roleText(fields: Fields, body: string): string | undefined {
  if (!roleFields.prompt.safeParse(body).success || body.trim() === "") return undefined;
  const { description } = fields;
  const model = modelOf(fields["model"]);
  const front = {
    ...(typeof description === "string" && description.trim() !== "" ? { summary: wording.oneLine(description.trim(), 290) } : {}),
    capabilities: [...capabilities(fields)],
    ...(model === undefined ? {} : { model }),
  };
  return `---\n${stringify(front, { lineWidth: 0 })}---\n\n${body.trim()}\n`;
}
