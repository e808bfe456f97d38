import type { Result } from "../../protocol/api/index.ts";
import type { CliContext } from "./command.ts";
import { withProgress } from "./progress.ts";

/** Whether the journal is what it was signed to be; how far it is, is shown meanwhile. */
export function verifyJournal(cli: CliContext): Promise<Result<"journal.verify">> {
  return withProgress(
    cli,
    "verify",
    ({ what, done, total }) => cli.out.progress(`checking ${what}: ${done} of ${total}`),
    () => cli.query({ type: "journal.verify" }),
  );
}
