/** A request shown while somebody works on it: what happened line by line, and below it how it stands. */
import { followRequest, type RequestLine } from "../request-lines.ts";
import type { CliContext } from "./command.ts";
import { withLiveRequest } from "./live-request.ts";
import { renderRequestLine } from "./render-request.ts";

/** Shown as often as there is work; no line is told twice. */
export async function showRequest(cli: CliContext, id: string): Promise<<T>(work: () => Promise<T>) => Promise<T>> {
  const { out } = cli;
  /** What waits stands below, and is asked about here; a line of it would be the same again. */
  const asksHere = cli.attended && out.draws;
  const show = (line: RequestLine): void => {
    if (out.json) out.data(line);
    else if (!asksHere || line.what !== "needs_you") out.note(renderRequestLine(line, out));
  };
  const during = followRequest(await cli.api(), id, show, cli.signal);
  return (work) => withLiveRequest(cli, id, () => during(work));
}
