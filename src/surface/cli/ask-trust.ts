/**
 * Before the first use of a folder that brings something: a user at a terminal is asked once, with what it
 * brings on the screen; without one, a line says what is not used.
 */
import type { Api } from "../../protocol/api/index.ts";
import type { CliContext } from "./command.ts";
import { asShown, countThings, renderThings, unanswered } from "./render-trust.ts";

type Doors = Pick<CliContext, "out" | "ask">;

/** These show or change the answer themselves. */
const OWN = new Set(["trust", "doctor"]);
const RUNS_CHECKS = new Set(["task", "exec"]);

/** True when the answer changed what counts, so that the application has to be opened anew. */
export async function settleTrust(api: Api, command: string | undefined, doors: Doors): Promise<boolean> {
  const { out } = doors;
  if (OWN.has(command ?? "")) return false;
  const asks = process.stdin.isTTY && out.interactive && !out.json;
  const status = await api.query({ type: "trust.status", checks: asks && RUNS_CHECKS.has(command ?? "") ? "needed" : "none" });
  const open = unanswered(status);
  if (status.problem !== undefined) out.note(`${out.style("yellow", "warning:")} ${status.problem}; \`sylk trust\` asks again`);
  if (open.length === 0) return false;
  if (!asks) {
    out.note(
      `${out.style("yellow", "not trusted:")} this folder brings ${countThings(open)}, which ${open.length === 1 ? "is" : "are"} not used; \`sylk trust status\` shows what, \`sylk trust --yes\` allows it`,
    );
    return false;
  }
  const answer = await askTrust(api, doors, "needed");
  return answer === "yes";
}

/** Asks about what has no answer yet, and answers for nothing else. `later` keeps nothing. */
export async function askTrust(api: Api, { out, ask }: Doors, checks: "all" | "needed"): Promise<"yes" | "no" | "later"> {
  const status = await api.query({ type: "trust.status", checks });
  const open = unanswered(status);
  out.note(`${out.style("bold", status.project)} brings this, which can steer agents or run on your machine:`);
  for (const line of renderThings(open, out)) out.note(line);
  for (const { name, reason } of status.unusable) out.note(out.style("yellow", `  ! ${name} ${reason}; it is never used`));
  const answer = await ask.choice({
    message:
      status.state === "changed"
        ? "Do you trust what is new or changed?"
        : "Do you trust this folder? Read these files first if it is not yours.",
    options: [
      { value: "no" as const, label: "no, do not use any of it" },
      { value: "yes" as const, label: "yes, as it is now" },
      { value: "later" as const, label: "decide later" },
    ],
  });
  if (answer === undefined || answer === "later") return "later";
  await api.send({ type: "trust.decide", answer, things: asShown(open), earlier: "keep" });
  return answer;
}
