/** A request run from here and shown while it happens; how it ended is the exit code. */
import { shortIds, SylkError } from "../../kernel/index.ts";
import type { Result } from "../../protocol/api/index.ts";
import { answerRested, withChangedPlans } from "./answer-inline.ts";
import type { CliContext } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { renderAnswer, renderAnswered, renderRequest } from "./render-request.ts";
import { keepStopped } from "./stopped-on-purpose.ts";
import { signsOf } from "./signs.ts";
import { showRequest } from "./show-request.ts";

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
    case "undone":
    case "cancelled":
    case "failed":
      return EXIT.failure;
    default:
      return EXIT.stuck;
  }
}

/** In plan mode nothing is built: whoever is there and wants it built leaves that mode. False: not now. */
export async function mayBuild(cli: CliContext): Promise<boolean> {
  if (cli.permissionMode.get() !== "plan") return true;
  if (!cli.attended)
    throw new SylkError({
      code: "REQUEST_WRONG_STATUS",
      tier: "user_fixable",
      message: "in plan mode nothing is built",
      fix: "say it again without --permission-mode plan",
    });
  const said = await cli.ask.choice({
    message: "Build it?",
    options: [
      { value: "no", label: "not now", hint: "/resume offers it again" },
      { value: "yes", label: "build it", hint: "leaves plan mode; what needs a yes is asked" },
    ],
    signal: cli.signal,
  });
  if (said !== "yes") return false;
  // No mode was chosen instead: what was begun in one goes on in it.
  await cli.permissionMode.set(undefined);
  return true;
}

export async function runRequest(cli: CliContext, id: string, folder: { gone?: boolean } = {}): Promise<Detail> {
  const { out, attended } = cli;
  cli.conversation?.goesOn(id);
  const api = await cli.api();
  const goOn = `session resume ${shortIds.shorten(id)}`;
  using signs = await signsOf(cli);
  const showing = await showRequest(cli, id);
  const run = async (): Promise<Detail> => {
    using _running = cli.runs(["session", "resume", id], cli.signal);
    const work = (): Promise<Detail> => api.send({ type: "request.run", id, attended }, cli.signal);
    return await showing(() => withChangedPlans(cli, id, work)).catch(async (error: unknown) => {
      if (cli.signal.aborted) await keepStopped(cli, "request", id);
      if (cli.signal.aborted) out.note(`interrupted; go on with: ${out.word(goOn)}`);
      throw error;
    });
  };
  let end = await run();
  // Whoever wanted only a plan has it.
  while (attended && end.questions.length > 0 && end.status !== "planned") {
    for (const question of end.questions) await answerRested(cli, question.id, goOn);
    end = await run();
  }
  signs.ended(end.status.replaceAll("_", " "));
  if (out.json) out.data({ type: "outcome", ...end });
  else if (end.status === "answered") {
    // Whoever writes it to a file wants the answer there.
    out.line(renderAnswer(end, out));
    out.note(out.style("dim", renderAnswered(end)));
  } else out.line(renderRequest(end, out, folder));
  cli.setExit(exitOf(end));
  // In a session the mode was chosen with a key, and is left with one.
  const offers = end.status === "planned" && end.end === undefined && cli.sign === "/" && cli.permissionMode.get() === "plan";
  if (!offers || !(await mayBuild(cli))) return end;
  await cli.send({ type: "request.resume", id });
  return await runRequest(cli, id);
}
