/** Ends a request for good, and says which that was. */
import { shortIds, wording } from "../../kernel/index.ts";
import type { CliContext } from "./command.ts";
import { visibleLine } from "./visible-text.ts";

const SHOWN = 100;

export async function stopRequest(cli: CliContext, id: string): Promise<void> {
  const { words } = await cli.query({ type: "request.show", id });
  await cli.send({ type: "request.cancel", id, reason: "stopped by the user" });
  cli.out.note(`of ${shortIds.shorten(id)}: ${visibleLine(wording.title(words, SHOWN))}`);
  cli.out.result({ id }, () => "stopped; nothing of it reaches your folder any more");
}
