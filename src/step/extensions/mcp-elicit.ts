/**
 * What an MCP server asks while it works, as questions to the user. A call cannot wait for somebody who is not there:
 * then the server is told that nobody answers. What is asked and said is on record as every question is.
 */
import { z } from "zod";
import type { Questions } from "../../journal/index.ts";
import { wording } from "../../kernel/index.ts";
import { agentActor } from "../../protocol/events/index.ts";
import type { Elicit, ElicitForm } from "../../tooling/index.ts";
import type { TaskState } from "../task-state.ts";

const fieldSchema = z.looseObject({
  type: z.enum(["string", "number", "integer", "boolean"]).default("string"),
  title: z.string().optional(),
  description: z.string().optional(),
  enum: z.array(z.string()).optional(),
  enumNames: z.array(z.string()).optional(),
  oneOf: z.array(z.looseObject({ const: z.string(), title: z.string().optional() })).optional(),
});
type Field = z.output<typeof fieldSchema>;

const MAX_FIELDS = 10;
const TEXT_CHARS = 600;
/** As an answer to a field that may be left out. */
const NOTHING = "-";

type Choice = { value: string; label: string };

function choicesOf({ type, enum: values, enumNames, oneOf }: Field): Choice[] | undefined {
  if (oneOf !== undefined) return oneOf.map(({ const: value, title }) => ({ value, label: title ?? value }));
  if (values !== undefined) return values.map((value, at) => ({ value, label: enumNames?.[at] ?? value }));
  return type === "boolean" ? ["true", "false"].map((value) => ({ value, label: value === "true" ? "yes" : "no" })) : undefined;
}

/** Undefined: it does not fit. */
function valueOf({ type }: Field, said: string): string | number | boolean | undefined {
  if (type === "boolean") return said === "true";
  if (type === "string") return said;
  const number = Number(said.trim());
  return said.trim() === "" || Number.isNaN(number) || (type === "integer" && !Number.isInteger(number)) ? undefined : number;
}

export function createElicit(
  questions: Questions,
  { id, session, role }: Pick<TaskState["created"], "id" | "session" | "role">,
  { server, callId }: { server: string; callId: string },
  signal: AbortSignal,
): Elicit {
  let asked = 0;
  const ask = async (message: string, options: Choice[] | undefined): Promise<string | undefined> => {
    asked += 1;
    const shared = { asker: { kind: "task" as const, id }, session, by: agentActor(role, id), key: `elicit/${callId}/${asked}` };
    const how = options === undefined ? { kind: "text" as const } : { kind: "choice" as const, options };
    const answer = await questions.ask({ ...shared, message, ask: how }, signal);
    return answer?.kind === "chosen" ? answer.value : answer?.kind === "said" ? answer.text : undefined;
  };

  const fill = async (name: string, field: Field, needed: boolean) => {
    const what = [field.title ?? name, field.description].filter((part) => part !== undefined).join(": ");
    const choices = choicesOf(field);
    const options = choices === undefined ? undefined : [...choices, ...(needed ? [] : [{ value: NOTHING, label: "leave it out" }])];
    const hint = choices !== undefined ? "" : ` (${field.type}${needed ? "" : `; ${NOTHING} leaves it out`})`;
    const said = await ask(`The MCP server ${server} asks for ${wording.oneLine(what, TEXT_CHARS)}${hint}`, options);
    if (said === undefined) return { kind: "nobody" as const };
    if (!needed && said.trim() === NOTHING) return { kind: "left_out" as const };
    const value = valueOf(field, said);
    return value === undefined ? { kind: "nobody" as const } : { kind: "value" as const, value };
  };

  return async (form: ElicitForm) => {
    if (!questions.attended(id) || !("requestedSchema" in form)) return { action: "cancel" };
    const fields = z.record(z.string(), fieldSchema).safeParse(form.requestedSchema.properties);
    if (!fields.success || Object.keys(fields.data).length > MAX_FIELDS) return { action: "cancel" };
    const wants = Object.keys(fields.data).join(", ");
    const message = `The MCP server ${server} asks: ${wording.oneLine(form.message, TEXT_CHARS)}${wants === "" ? "" : ` (it wants ${wants})`}`;
    const answer = await ask(message, [
      { value: "answer", label: wants === "" ? "yes" : "answer" },
      { value: "decline", label: "decline" },
    ]);
    if (answer !== "answer") return { action: answer === "decline" ? "decline" : "cancel" };
    const content: Record<string, string | number | boolean> = {};
    for (const [name, field] of Object.entries(fields.data)) {
      const given = await fill(name, field, form.requestedSchema.required?.includes(name) === true);
      if (given.kind === "nobody") return { action: "cancel" };
      if (given.kind === "value") content[name] = given.value;
    }
    return { action: "accept", content };
  };
}
