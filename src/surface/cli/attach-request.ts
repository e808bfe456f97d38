/** Looks on while another process works on a request, and answers what it asks. */
import { shortIds } from "../../kernel/index.ts";
import type { Result } from "../../protocol/api/index.ts";
import { sessionEvents } from "../session-events.ts";
import { answerRested } from "./answer-inline.ts";
import type { CliContext } from "./command.ts";
import { renderRequest } from "./render-request.ts";
import { showRequest } from "./show-request.ts";

type Detail = Result<"request.show">;

/** Until it has ended, nobody works on it any more or, where a user is, it asks something. */
async function untilRest(cli: CliContext, id: string): Promise<Detail> {
  const look = (): Promise<Detail> => cli.query({ type: "request.show", id });
  for await (const _event of sessionEvents(await cli.api(), id, undefined, cli.signal)) {
    const now = await look();
    if (now.end !== undefined || !now.running || (cli.attended && now.questions.length > 0)) return now;
  }
  return look();
}

export async function attachRequest(cli: CliContext, id: string): Promise<void> {
  const { out } = cli;
  const goOn = `session resume ${shortIds.shorten(id)}`;
  const showing = await showRequest(cli, id);
  let end = await showing(() => untilRest(cli, id));
  while (cli.attended && end.end === undefined && end.questions.length > 0) {
    for (const question of end.questions) await answerRested(cli, question.id, goOn);
    end = end.running ? await showing(() => untilRest(cli, id)) : await cli.query({ type: "request.show", id });
  }
  if (out.json) return out.data({ type: "outcome", ...end });
  out.line(renderRequest(end, out));
  if (end.end === undefined && !end.running) out.note(`nobody works on it now; go on here with: ${out.word(goOn)}`);
}
