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

const isMap = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);

const namesIn = (value: unknown): string[] | undefined =>
  typeof value === "string" ? value.split(",") : Array.isArray(value) ? value.map(String) : undefined;

/** Also where some lines of it are allowed all the same: which ones cannot be said here. */
const isNo = (value: unknown): boolean => value === false || value === "deny" || (isMap(value) && isNo(value["*"]));

function refusedIn(map: Fields): readonly Capability[] {
  const entries = Object.entries(map);
  const named = entries.filter(([, value]) => !isNo(value)).flatMap(([tool]) => capabilitiesOf(tool));
  const others = ALL.filter((one) => !named.includes(one));
  return entries.filter(([, value]) => isNo(value)).flatMap(([tool]) => (tool === "*" ? others : capabilitiesOf(tool)));
}

/** Never more than it could do there, but for reading. */
function capabilities(fields: Fields): readonly Capability[] {
  if (fields["readonly"] === true || fields["sandbox_mode"] === "read-only" || fields["permissionMode"] === "plan") return LOOKING;
  const { tools, permission } = fields;
  const named = namesIn(tools);
  const given = named === undefined || named.includes("*") ? ALL : named.flatMap(capabilitiesOf);
  const refused = [
    ...[tools, permission].filter(isMap).flatMap(refusedIn),
    ...(namesIn(fields["disallowedTools"]) ?? []).flatMap(capabilitiesOf),
  ];
  return ALL.filter((one) => one === "file_read" || (given.includes(one) && !refused.includes(one)));
}

function modelOf(model: unknown): string | undefined {
  if (typeof model !== "string") return undefined;
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
