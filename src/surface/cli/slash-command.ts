/** A command with a slash, carried out by the same calls as its plain form. */
import { SylkError, unreachable } from "../../kernel/index.ts";
import type { Result } from "../../protocol/api/index.ts";
import type { CliContext } from "./command.ts";
import { renderRequest, renderRequests } from "./render-request.ts";
import { renderList } from "./render-task.ts";
import { addWords, toPiece } from "./piece-words.ts";
import { goOnWith } from "./continue-request.ts";
import { stopRequest } from "./stop-request.ts";
import { mayBuild, runRequest } from "./run-request.ts";

type Command = Extract<Result<"request.command">, { kind: "command" }>;
/** `/plan` starts a request; that is its caller's to do. */
type Carried = Omit<Command, "does"> & { does: Exclude<Command["does"], "plan"> };

async function approve(cli: CliContext, id: string): Promise<void> {
  const { questions } = await cli.query({ type: "request.show", id });
  for (const { id: question } of questions)
    if ((await cli.query({ type: "question.show", id: question })).ask.kind === "plan") {
      if (!(await mayBuild(cli))) return;
      await cli.send({ type: "question.answer", id: question, answer: { kind: "chosen", value: "approve" } });
      await runRequest(cli, id);
      return;
    }
  throw new SylkError({
    code: "USAGE_NO_COMMAND",
    tier: "user_fixable",
    message: "no plan of it waits for approval",
    fix: "`/status` tells how it stands",
  });
}

export async function carryOut(cli: CliContext, { does, rest, help }: Carried): Promise<void> {
  const { out } = cli;
  const id = async (which = rest): Promise<string> => (await cli.query({ type: "request.resolve", id: which === "" ? "last" : which })).id;
  switch (does) {
    case "status": {
      const request = await cli.query({ type: "request.show", id: await id() });
      return out.result(request, () => renderRequest(request, out));
    }
    case "sessions": {
      const list = await cli.query({ type: "request.list", limit: 20 });
      return out.result(list, () => renderRequests(list, out));
    }
    case "tasks": {
      const list = await cli.query({ type: "task.list", limit: 20 });
      return out.result(list, () => renderList(list, 0, out));
    }
    case "task":
      return toPiece(cli, await id("last"), rest);
    case "add":
      return addWords(cli, await id("last"), rest);
    case "approve":
      return approve(cli, await id());
    case "pause": {
      const request = await id();
      await cli.send({ type: "request.pause", id: request });
      return out.result({ id: request }, () => "it pauses; `/resume` goes on");
    }
    case "resume":
      return goOnWith(cli, await cli.query({ type: "request.show", id: await id() }));
    case "stop":
      return stopRequest(cli, await id());
    case "help":
      return out.result({ help }, () => help);
    default:
      return unreachable(does);
  }
}
