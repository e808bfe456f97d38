/** What is kept of a request, to be read here or elsewhere: its events as lines, or as one document. */
import { asIs } from "../wire-names.ts";
import { sessionEvents } from "../session-events.ts";
import type { CliContext } from "./command.ts";
import { brief, openOutput } from "./render-event.ts";
import { verifyJournal } from "./verify-journal.ts";

export async function showLogs(cli: CliContext, id: string, follow: boolean): Promise<void> {
  const { out } = cli;
  const until = follow ? undefined : (await cli.query({ type: "journal.head" })).position;
  for await (const event of sessionEvents(await cli.api(), id, until, cli.signal)) out.result(asIs(event), () => brief(event, out));
}

/** What the journal holds was redacted when it was written; hashes chain each stream, signatures cover them up to a position. */
export async function exportSession(cli: CliContext, id: string, file: string | undefined): Promise<void> {
  const { out } = cli;
  const { position } = await cli.query({ type: "journal.head" });
  const report = await verifyJournal(cli);
  const events = [];
  for await (const event of sessionEvents(await cli.api(), id, position, cli.signal)) events.push(event);
  const range = { from: events[0]?.position ?? 0, to: events.at(-1)?.position ?? 0 };
  const record = {
    format: "sylk-session",
    version: 1,
    request: id,
    range,
    verified: report.valid,
    signed_up_to: report.signed_up_to,
    events,
  };
  if (file === undefined) return out.data(asIs(record));
  await using handle = await openOutput(file);
  await handle.write(`${JSON.stringify(record, null, 1)}\n`);
  out.result({ request: id, events: events.length, file }, () => `${events.length} events written to ${file}`);
}
