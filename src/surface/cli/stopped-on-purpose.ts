/** Why something was stopped: a person who presses Escape or Ctrl+C means it; a terminal that is closed says nothing of that. */
import type { CliContext } from "./command.ts";

const ON_PURPOSE = ["the user", "SIGINT"];

export function stoppedBy(whom: string): Error {
  const reason = new Error(`stopped by ${whom}`);
  reason.name = "AbortError";
  return reason;
}

function isOnPurpose({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason instanceof Error && ON_PURPOSE.some((whom) => reason.message === `stopped by ${whom}`);
}

/** Written down, so that `sylk -c` does not begin it again; the signal is aborted, and must not stop this. What cannot be written is left as interrupted. */
export async function keepStopped(cli: CliContext, what: "request" | "task", id: string): Promise<void> {
  if (isOnPurpose(cli.signal)) await (await cli.api()).send({ type: `${what}.stopped`, id }).catch(() => undefined);
}
