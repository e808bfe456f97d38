/**
 * Before the first use of a folder that brings something: a user at a terminal is asked once, with what it
 * brings on the screen; without one, a line says what is not used.
 */
import type { Api } from "../../protocol/api/index.ts";
import type { CliContext } from "./command.ts";
import { asShown, countThings, renderThings, unanswered } from "./render-trust.ts";

type Doors = Pick<CliContext, "out" | "ask">;

export interface SettlingDoors extends Doors {
  /** Ctrl+C at the question ends the command; where there is none, a session, it leaves the question for later. */
  interrupt?: CliContext["interrupt"];
}

/** These show or change the answer themselves. */
const OWN = new Set(["trust", "doctor"]);
/** Undefined is the session. */
const RUNS_CHECKS = new Set([undefined, "task", "exec", "run", "plan", "session", "review"]);
/** Each task says by itself that its checks may not run. */
const SAYS_IT = new Set<string | undefined>(["task", "exec"]);

/** True when the answer changed what counts, so that the application has to be opened anew. */
export async function settleTrust(api: Api, command: string | undefined, doors: SettlingDoors): Promise<boolean> {
  const { out } = doors;
  if (OWN.has(command ?? "")) return false;
  const asks = process.stdin.isTTY && out.interactive && !out.json;
  const checks = RUNS_CHECKS.has(command) && (asks || !SAYS_IT.has(command)) ? "needed" : "none";
  const status = await api.query({ type: "trust.status", checks });
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
  if (answer === "left" && doors.interrupt !== undefined) throw doors.interrupt();
  return answer === "yes";
}

const OPTIONS = [
  { value: "no", label: "no, do not use any of it" },
  { value: "yes", label: "yes, as it is now" },
  { value: "later", label: "decide later" },
] as const;

/** Asks about what has no answer yet, and answers for nothing else. `later` keeps nothing, nor does who left the question. */
export async function askTrust(api: Api, { out, ask }: Doors, checks: "all" | "needed"): Promise<"yes" | "no" | "later" | "left"> {
  const status = await api.query({ type: "trust.status", checks });
  const open = unanswered(status);
  out.note(`${out.style("bold", status.project)} brings this, which can steer agents or run on your machine:`);
  for (const line of renderThings(open, out)) out.note(line);
  for (const { name, reason } of status.unusable) out.note(out.style("yellow", `  ! ${name} ${reason}`));
  if (checks === "needed" && open.some(({ kind }) => kind === "check"))
    out.note(out.style("dim", "  there is no sandbox here: a check would run on your machine itself"));
  const message =
    status.state === "changed"
      ? "Do you trust what is new or changed?"
      : "Do you trust this folder? Read these files first if it is not yours.";
  const answer = await ask.choice({ message, options: OPTIONS });
  const said = OPTIONS.find(({ value }) => value === answer)?.label;
  if (said !== undefined && !ask.leavesTrace) out.note(`${out.style("yellow", "?")} ${message}  ${out.style("bold", said)}`);
  if (answer === undefined) return "left";
  if (answer === "later") return answer;
  await api.send({ type: "trust.decide", answer, things: asShown(open), earlier: "keep" });
  return answer;
}
