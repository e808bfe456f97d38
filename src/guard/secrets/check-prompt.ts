/** Secrets in what a user types (SEC-021) and in what a model hands to a tool (SEC-023, SEC-024). */
import { must } from "../../kernel/index.ts";
import { SEVERITIES, type Severity } from "./patterns.ts";
import type { Redactor } from "./create-redactor.ts";

export interface PromptFinding {
  pattern: string;
  severity: Severity;
  /** Surroundings with every secret masked. */
  context: string;
}

export type PromptCheck =
  | { kind: "clean" }
  /** Certainly a secret: the prompt must not be used. */
  | { kind: "refused"; findings: PromptFinding[]; highest: Severity; message: string }
  /** Perhaps a secret: offer the redacted text, or let the user say it is harmless. */
  | { kind: "suspicious"; findings: PromptFinding[]; highest: Severity; redacted: string; message: string };

const AROUND = 20;
const MASK = "[***]";

export function checkPrompt(redactor: Redactor, text: string): PromptCheck {
  const found = redactor.find(text);
  if (found.length === 0) return { kind: "clean" };
  // Mask all of them before cutting, so that one finding's surroundings cannot show its neighbour.
  let masked = "";
  let at = 0;
  const places: { start: number; end: number }[] = [];
  for (const { start, end } of found) {
    masked += text.slice(at, start);
    places.push({ start: masked.length, end: masked.length + MASK.length });
    masked += MASK;
    at = end;
  }
  masked += text.slice(at);
  const findings = found.map(({ pattern, severity }, i): PromptFinding => {
    const { start, end } = must(places[i]);
    const from = Math.max(0, start - AROUND);
    const to = Math.min(masked.length, end + AROUND);
    return { pattern, severity, context: `${from > 0 ? "..." : ""}${masked.slice(from, to)}${to < masked.length ? "..." : ""}` };
  });
  const highest = must(SEVERITIES[Math.max(...found.map((f) => SEVERITIES.indexOf(f.severity)))]);
  const what = `${found.length} secret${found.length === 1 ? "" : "s"} found (${found[0]?.pattern})`;
  const advice = "put it into an environment variable or a credential (`sylk auth set`) and name that instead";
  if (found.some((f) => f.certain)) return { kind: "refused", findings, highest, message: `${what}; ${advice}` };
  return {
    kind: "suspicious",
    findings,
    highest,
    redacted: redactor.redact(text).text,
    message: `possibly ${what}; send the redacted text, confirm that it is harmless, or ${advice}`,
  };
}

export type ParameterCheck =
  | { kind: "clean" }
  | { kind: "refused"; parameter: string; reason: "secret" | "environment_reference" | "credential_parameter" };

const REFERENCE = /\$(?:\{[A-Z][A-Z0-9_]*\}|[A-Z][A-Z0-9_]{2,})/;
const CREDENTIAL_NAME = /(?:^|[_-])(?:api[_-]?key|token|password|passwd|secret|credentials?|connection[_-]?string)$/i;

/**
 * Looks through every string of a tool's parameters. `textParameters` are those that hold code or prose,
 * where `$HOME` is legitimate; a secret is not legitimate anywhere.
 */
export function checkParameters(
  redactor: Redactor,
  parameters: Readonly<Record<string, unknown>>,
  textParameters: ReadonlySet<string>,
): ParameterCheck {
  const look = (value: unknown, name: string, top: string): ParameterCheck => {
    if (typeof value === "string") {
      if (redactor.find(value).some((f) => f.certain)) return { kind: "refused", parameter: name, reason: "secret" };
      if (!textParameters.has(top) && REFERENCE.test(value)) return { kind: "refused", parameter: name, reason: "environment_reference" };
    } else if (typeof value === "object" && value !== null) {
      for (const [key, item] of Object.entries(value)) {
        const inner = look(item, `${name}.${key}`, top);
        if (inner.kind === "refused") return inner;
      }
    }
    return { kind: "clean" };
  };
  for (const [name, value] of Object.entries(parameters)) {
    if (CREDENTIAL_NAME.test(name)) return { kind: "refused", parameter: name, reason: "credential_parameter" };
    const found = look(value, name, name);
    if (found.kind === "refused") return found;
  }
  return { kind: "clean" };
}
