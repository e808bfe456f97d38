/** What a user tells one piece of a request or adds to all of it, and what is told back. */
import { SylkError } from "../../kernel/index.ts";
import type { Input } from "../../protocol/api/index.ts";
import type { CliContext } from "./command.ts";

export type PieceSignal = Input<"request.signal">["signal"];

const STANDS = { paused: "is paused", at_work: "goes on", ended: "is stopped" } as const;

export async function signalPiece(cli: CliContext, id: string, piece: string, signal: PieceSignal): Promise<void> {
  const heard = await cli.send({ type: "request.signal", id, piece, signal });
  cli.out.result({ id, piece, signal, acknowledged: heard }, () => {
    if (heard === null) return `${piece} is told so; whoever works on it has not answered yet`;
    const still = heard.running.length === 0 ? "" : `; still running, and let come to its end: ${heard.running.join(", ")}`;
    return `${piece} ${STANDS[heard.stands]}${still}`;
  });
}

export async function tellPiece(cli: CliContext, id: string, piece: string, words: string): Promise<void> {
  await cli.send({ type: "request.tell", id, piece, words });
  cli.out.result({ id, piece, words }, () => `whoever works on ${piece} hears it in the next step`);
}

/** What is wanted beside the request. */
export async function addWords(cli: CliContext, id: string, words: string): Promise<void> {
  await cli.send({ type: "request.add", id, words });
  const { running } = await cli.query({ type: "request.show", id });
  const next = running ? "the Architect changes its plan now" : `\`${cli.out.word("session resume")}\` has its plan changed and goes on`;
  cli.out.result({ id, words, running }, () => `added; ${next}, and what is merged stays`);
}

async function askPiece(cli: CliContext, id: string, piece: string): Promise<void> {
  const { work } = await cli.query({ type: "request.show", id });
  const found = work.find((one) => one.id === piece || one.id === `n${piece}`);
  if (found === undefined) throw wrong(`there is no piece ${piece}`, `there are ${work.map((one) => one.id).join(", ")}`);
  const { title, state, attempt, why, doing } = found;
  cli.out.result(found, () =>
    [
      `${found.id} ${title}: ${state}${attempt > 1 ? `, attempt ${attempt}` : ""}`,
      ...(doing === undefined
        ? []
        : [`  ${doing.role}, step ${doing.step} (${doing.status})${doing.does === "" ? "" : `: ${doing.does}`}`]),
      ...(why === "" ? [] : [`  ${why}`]),
    ].join("\n"),
  );
}

const wrong = (message: string, fix: string): SylkError => new SylkError({ code: "USAGE_NO_COMMAND", tier: "user_fixable", message, fix });

const SIGNALS: Readonly<Record<string, PieceSignal>> = {
  interrupt: "pause",
  pause: "pause",
  resume: "resume",
  cancel: "cancel",
  ignore_inspector: "ignore_inspector",
  ignore_tester: "ignore_tester",
};

/** `/task n1 prompt keep it short`. */
export async function toPiece(cli: CliContext, id: string, said: string): Promise<void> {
  const [piece = "", action = "query", ...rest] = said.trim().split(/\s+/u);
  const words = rest.join(" ");
  if (action === "query") return askPiece(cli, id, piece);
  if (action === "prompt" && words !== "") return tellPiece(cli, id, piece, words);
  const signal = SIGNALS[action];
  if (signal === undefined)
    throw wrong(
      action === "prompt" ? "prompt needs words" : `a piece cannot be told to ${action}`,
      `say /task ${piece} prompt <words>, query, ${Object.keys(SIGNALS).join(", ")}`,
    );
  return signalPiece(cli, id, piece, signal);
}
