/** What a folder brings, on a terminal. */
import type { Result } from "../../protocol/api/index.ts";
import { wording } from "../../kernel/index.ts";
import type { Output } from "./output.ts";

type TrustStatus = Result<"trust.status">;
type Thing = TrustStatus["things"][number];

const WORDS: Record<Thing["kind"], { one: string; many: string }> = {
  setting: { one: "setting", many: "settings" },
  skill: { one: "skill", many: "skills" },
  role: { one: "role", many: "roles" },
  prompt: { one: "prompt", many: "prompts" },
  task_type: { one: "task type", many: "task types" },
  flow: { one: "flow", many: "flows" },
  hook: { one: "hook", many: "hooks" },
  command: { one: "command", many: "commands" },
  mcp_server: { one: "file of MCP servers", many: "files of MCP servers" },
  tool: { one: "table of tools", many: "tables of tools" },
  skill_template: { one: "skill template", many: "skill templates" },
  memory: { one: "memory of agents", many: "memories of agents" },
  check: { one: "check", many: "checks" },
};

const SAID: Record<TrustStatus["state"], string> = {
  nothing: "it brings nothing that needs your trust",
  trusted: "trusted",
  refused: "not trusted, as you said",
  undecided: "not trusted; nobody has decided yet",
  changed: "what is marked + or ~ has no answer of yours yet and is not trusted",
};

export function unanswered({ things }: TrustStatus): Thing[] {
  return things.filter(({ standing }) => standing === "added" || standing === "changed");
}

/** The things of an answer: each by the hash of what was on the screen. */
export function asShown(things: readonly Thing[]): Pick<Thing, "kind" | "name" | "hash">[] {
  return things.map(({ kind, name, hash }) => ({ kind, name, hash }));
}

/** `2 settings, 1 skill`. */
export function countThings(things: readonly Thing[]): string {
  const counts = new Map<Thing["kind"], number>();
  for (const { kind } of things) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => `${count} ${count === 1 ? WORDS[kind].one : WORDS[kind].many}`).join(", ");
}

export function renderThings(things: readonly Thing[], out: Output): string[] {
  const mark = {
    trusted: out.style("green", "✓"),
    refused: out.style("red", "✗"),
    added: out.style("yellow", "+"),
    changed: out.style("yellow", "~"),
  };
  return things.map(({ kind, name, shown, standing }) => {
    const more = shown === undefined || shown === "" ? "" : out.style("dim", `  ${wording.oneLine(shown)}`);
    return `  ${mark[standing]} ${WORDS[kind].one}: ${wording.oneLine(name)}${more}`;
  });
}

function stateText({ state, things }: TrustStatus): string {
  const refused = things.filter(({ standing }) => standing === "refused");
  return state === "refused" && refused.length < things.length
    ? `trusted except ${countThings(refused)}, not used as you said`
    : SAID[state];
}

/** What to do about it; undefined when nothing needs to be done. */
export function nextOf(status: TrustStatus): string | undefined {
  if (unanswered(status).length > 0) return "`sylk trust` asks about it; `sylk trust --yes` trusts all of it, `--no` none";
  return status.state === "refused" ? "`sylk trust --yes` trusts all of it after all" : undefined;
}

export function renderTrust(status: TrustStatus, out: Output): string {
  return [
    `${out.style("bold", status.project)}: ${stateText(status)}`,
    ...(status.problem === undefined ? [] : [out.style("yellow", `  ! ${status.problem}`)]),
    ...renderThings(status.things, out),
    ...status.removed.map(({ kind, name }) => out.style("dim", `  - ${WORDS[kind].one}: ${wording.oneLine(name)}  no longer there`)),
    ...status.unusable.map(({ name, reason }) => out.style("yellow", `  ! ${wording.oneLine(name)} ${wording.oneLine(reason)}`)),
  ].join("\n");
}
