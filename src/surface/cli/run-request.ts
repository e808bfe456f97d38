/** A request run from here and shown while it happens; how it ended is the exit code. */
import { shortIds } from "../../kernel/index.ts";
import type { Result } from "../../protocol/api/index.ts";
import { followRequest } from "../request-lines.ts";
import { answerRested } from "./answer-inline.ts";
import type { CliContext } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { renderRequest, renderRequestLine } from "./render-request.ts";

type Detail = Result<"request.show">;

function exitOf({ status }: Detail): number {
  switch (status) {
    case "done":
    case "answered":
    case "planned":
      return EXIT.success;
    case "not_shown":
      return EXIT.notVerified;
    case "rejected":
    case "cancelled":
    case "failed":
      return EXIT.failure;
    default:
      return EXIT.stuck;
  }
}

export async function runRequest(cli: CliContext, id: string, folder: { gone?: boolean } = {}): Promise<Detail> {
  const { out, attended } = cli;
  const api = await cli.api();
  const run = (): Promise<Detail> =>
    followRequest(
      api,
      id,
      (line) => (out.json ? out.data(line) : out.note(renderRequestLine(line, out))),
      () => api.send({ type: "request.run", id, attended }, cli.signal),
      cli.signal,
    ).catch((error: unknown) => {
      if (cli.signal.aborted) out.note(`interrupted; go on with: sylk session resume ${shortIds.shorten(id)}`);
      throw error;
    });
  let end = await run();
  // Whoever wanted only a plan has it.
  while (attended && end.questions.length > 0 && end.status !== "planned") {
    for (const question of end.questions) await answerRested(cli, question.id);
    end = await run();
  }
  if (out.json) out.data({ type: "outcome", ...end });
  else out.line(renderRequest(end, out, folder));
  cli.setExit(exitOf(end));
  return end;
}
