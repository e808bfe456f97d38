/** Looks on while another process works on a request, and answers what it asks. */
import { shortIds } from "../../kernel/index.ts";
import type { Result } from "../../protocol/api/index.ts";
import { followRequest } from "../request-lines.ts";
import { sessionEvents } from "../session-events.ts";
import { answerRested } from "./answer-inline.ts";
import type { CliContext } from "./command.ts";
import { renderRequest, renderRequestLine } from "./render-request.ts";

type Detail = Result<"request.show">;

/** Until it has ended or nobody works on it any more. */
async function untilRest(cli: CliContext, id: string): Promise<Detail> {
  const api = await cli.api();
  const look = (): Promise<Detail> => cli.query({ type: "request.show", id });
  const step = async (): Promise<Detail | undefined> => {
    const now = await look();
    if (now.end !== undefined) return now;
    if (cli.attended && now.questions.length > 0) {
      for (const question of now.questions) await answerRested(cli, question.id);
      return now.running ? undefined : look();
    }
    return now.running ? undefined : now;
  };
  for await (const _event of sessionEvents(api, id, undefined, cli.signal)) {
    const rested = await step();
    if (rested !== undefined) return rested;
  }
  return look();
}

export async function attachRequest(cli: CliContext, id: string): Promise<void> {
  const { out } = cli;
  const end = await followRequest(
    await cli.api(),
    id,
    (line) => (out.json ? out.data(line) : out.note(renderRequestLine(line, out))),
    () => untilRest(cli, id),
    cli.signal,
  );
  if (out.json) return out.data({ type: "outcome", ...end });
  out.line(renderRequest(end, out));
  if (end.end === undefined && !end.running)
    out.note(`nobody works on it now; go on here with: sylk session resume ${shortIds.shorten(id)}`);
}
