/** What was under way here when it was last left: what `/resume` would go on with, where that was interrupted. */
import { wording } from "../../kernel/index.ts";
import type { CliContext } from "./command.ts";
import { wordsToGoOn } from "./words-to-go-on.ts";

const SHOWN = 100;

export async function interruptedBefore(cli: CliContext): Promise<string | undefined> {
  const [request] = await cli.query({ type: "request.list", limit: 1 });
  if (request?.status !== "interrupted" || !(await wordsToGoOn(cli)).includes(request.id)) return undefined;
  return `“${wording.oneLine(request.words, SHOWN)}” was interrupted: /resume goes on`;
}
