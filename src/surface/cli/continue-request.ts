/** Goes on with a request of earlier, or with a new one from where it began; the user picks it where none is named. */
import { shortIds, SylkError, wording } from "../../kernel/index.ts";
import type { Result } from "../../protocol/api/index.ts";
import type { CliContext } from "./command.ts";
import { renderRequest } from "./render-request.ts";
import { mayBuild, runRequest } from "./run-request.ts";

const SHOWN = { requests: 20, chars: 70 };

async function pick(cli: CliContext): Promise<string> {
  const list = await cli.query({ type: "request.list", limit: SHOWN.requests });
  if (!cli.attended || list.length < 2) return "last";
  const chosen = await cli.ask.choice({
    message: "Which request?",
    options: list.map(({ id, words, status }) => ({
      value: id,
      label: wording.title(words, SHOWN.chars),
      hint: `${status.replaceAll("_", " ")} · ${shortIds.shorten(id)}`,
      also: [shortIds.shorten(id)],
    })),
    initial: list[0]?.id,
    signal: cli.signal,
  });
  if (chosen !== undefined) return chosen;
  throw new SylkError({
    code: "USAGE_CHOICE",
    tier: "user_fixable",
    message: "no request was chosen",
    fix: "sylk session list shows them",
  });
}

const isOver = ({ end }: Result<"request.show">): boolean => end !== undefined;

/** From wherever it stands. */
export async function goOnWith(
  cli: CliContext,
  { id, status, stopped }: Pick<Result<"request.show">, "id" | "status" | "stopped">,
): Promise<void> {
  if (status !== "planning" && !(await mayBuild(cli))) return;
  // That its person stopped it counts no more: written down, so that it is known wherever this ends.
  if (status === "paused" || status === "planned" || stopped === true) await cli.send({ type: "request.resume", id });
  await runRequest(cli, id);
}

/** The request that is named or chosen, or the one that was made last. */
export async function continueRequest(cli: CliContext, which: string | undefined, fork: boolean): Promise<void> {
  const { out } = cli;
  const { id: known } = await cli.query({ type: "request.resolve", id: which ?? (await pick(cli)) });
  const id = fork ? (await cli.send({ type: "request.fork", id: known })).id : known;
  const request = await cli.query({ type: "request.show", id });
  cli.conversation?.goesOn(id, request.before);
  if (isOver(request)) return out.result(request, () => renderRequest(request, out));
  await goOnWith(cli, request);
}
