/** Asks the person at the terminal. Only used when there is one. */
import type { PermissionPolicy } from "../../app/index.ts";
import type { Output } from "./output.ts";

export function askAtTerminal(out: Output): Pick<PermissionPolicy, "ask" | "askCredential"> {
  if (!process.stdin.isTTY || !out.interactive || out.json) return {};
  return { ask: askForAction, askCredential: askForAccount };
}

const askForAction: NonNullable<PermissionPolicy["ask"]> = async ({ agentType, reason, remember }, signal) => {
  const { isCancel, select } = await import("@clack/prompts");
  const kept = remember.map((r) => r.value).join(", ");
  const answer = await select({
    message: `${agentType} wants to ${reason}`,
    options: [
      { value: "once" as const, label: "allow once" },
      ...(kept === ""
        ? []
        : [
            { value: "session" as const, label: `allow in this run: ${kept}` },
            { value: "project" as const, label: `always in this project: ${kept}` },
            { value: "user" as const, label: `always, everywhere: ${kept}` },
          ]),
      { value: "deny" as const, label: "deny" },
    ],
    ...(signal === undefined ? {} : { signal }),
  });
  return isCancel(answer) ? "deny" : answer;
};

async function askForAccount(message: string): Promise<"always" | "session" | "deny"> {
  const { isCancel, select } = await import("@clack/prompts");
  const answer = await select({
    message,
    options: [
      { value: "session" as const, label: "allow in this run" },
      { value: "always" as const, label: "always in this project" },
      { value: "deny" as const, label: "deny" },
    ],
  });
  return isCancel(answer) ? "deny" : answer;
}
