/** A scripted team behind a real socket: the same rules, answered over the wire of a provider, so that the line can be cut. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { stringify } from "yaml";
import { answerFor, loadRules } from "../../src/model/providers/scripted-rules.ts";
import type { TeamProject } from "./team-project.ts";
import type { WireAnswer, WireRequest } from "./wire-server/wire-types.ts";

type Content = string | { text?: string }[];

const textOf = ({ body }: WireRequest, role: string): string =>
  (body["messages"] as { role: string; content: Content }[])
    .filter((message) => message.role === role)
    .map(({ content }) => (typeof content === "string" ? content : content.map(({ text = "" }) => text).join("")))
    .join("\n");

/** Who asks and for which step, as the messages say. */
function askedBy(request: WireRequest): { role: string; step: number; user: string } {
  const user = textOf(request, "user");
  return {
    role: /You are (\w+)/u.exec(textOf(request, "system"))?.[1] ?? "",
    step: Number(/Step (\d+) of at most/u.exec(user)?.[1]),
    user,
  };
}

export function answerByRules(project: TeamProject): (request: WireRequest) => WireAnswer {
  const rules = loadRules(project.rules.replace("scripted/", ""));
  return (request) => {
    const { role, step, user } = askedBy(request);
    const facts = { role, step, session: "", task: "", phase: "", purpose: "step", priority: 50, lane: "pipeline" } as const;
    const call = { model: "m", messages: [{ role: "user" as const, content: user }], tools: [], maxOutputTokens: 1, facts, attempt: 1 };
    const answer = answerFor(rules, call as unknown as Parameters<typeof answerFor>[1]);
    return answer === undefined
      ? { status: 400, message: `no rule for ${role}, step ${step}` }
      : { text: "so", toolCalls: answer.tool_calls };
  };
}

/** The team's model is the one at this address. */
export function useWire(project: TeamProject, url: string, llm: Record<string, unknown> = {}): string {
  mkdirSync(path.join(project.base, "home"), { recursive: true });
  const providers = { wire: { kind: "openai-chat", base_url: `${url}/v1` } };
  writeFileSync(path.join(project.base, "home/config.yaml"), stringify({ llm: { providers, ...llm } }));
  return "wire/m";
}
