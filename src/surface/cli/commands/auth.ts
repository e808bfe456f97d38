import { text as readAll } from "node:stream/consumers";
import { SylkError } from "../../../kernel/index.ts";
import type { CliContext, CommandModule } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { askHidden } from "../prompts.ts";

interface ProfileFlag {
  profile?: string;
}

async function askForKey(provider: string): Promise<string> {
  const answer = await askHidden({ message: `${provider} API key (not shown)` });
  if (answer === undefined)
    throw new SylkError({ code: "USAGE_CANCELLED", tier: "user_fixable", message: "no key was entered; nothing was stored" });
  return answer;
}

/** From the flag, a pipe, or a hidden prompt; never echoed. */
async function takeKey(cli: CliContext, provider: string, flag: string | undefined): Promise<string> {
  if (flag !== undefined) cli.out.note("note: a key on the command line stays in your shell's history; pipe it in or let sylk ask for it");
  const key = (flag ?? (process.stdin.isTTY ? await askForKey(provider) : await readAll(process.stdin))).trim();
  if (key === "")
    throw new SylkError({
      code: "USAGE_NO_KEY",
      tier: "user_fixable",
      message: "no key was given",
      fix: `pipe it in: \`sylk auth set ${provider} < file\``,
    });
  return key;
}

const CHECKED = {
  accepted: "the provider accepts it",
  rejected: "the provider rejects it",
  unreachable: "not checked: the provider could not be reached",
  unverifiable: "not checked: no check is known for this provider",
} as const;

const PLACES = {
  environment: "environment",
  keychain: "system keychain",
  project_file: "project file",
  user_file: "encrypted file",
} as const;

export const command: CommandModule = {
  build(command, cli) {
    const { out } = cli;
    command.addHelpText(
      "after",
      "\nA key is looked up in the environment, the system keychain, then the encrypted file. An explicit --profile comes first.\n\nExamples:\n  $ sylk auth set anthropic\n  $ sylk auth set openai --profile work < key.txt\n  $ sylk auth list\n  $ sylk auth test openai\n  $ sylk auth remove openai",
    );
    command
      .command("set <provider>")
      .description("check a key and keep it in the keychain or an encrypted file")
      .option("--profile <name>", "under this profile")
      .option("--api-key <key>", "the key itself (better: a pipe or the prompt)")
      .option("--unverified", "keep it although the provider cannot be reached")
      .action(async (provider: string, flags: ProfileFlag & { apiKey?: string; unverified?: boolean }) => {
        const key = await takeKey(cli, provider, flags.apiKey);
        out.progress(`asking ${provider}`);
        const stored = await cli.send({ type: "auth.set", provider, key, profile: flags.profile, unverified: flags.unverified === true });
        out.result(
          { provider, ...stored },
          () => `${provider} (${stored.profile}): kept in the ${PLACES[stored.source]}; ${CHECKED[stored.check]}`,
        );
      });
    command
      .command("list")
      .alias("status")
      .description("which credentials there are and where they come from, without their values")
      .option("--profile <name>", "of this profile")
      .action(async (flags: ProfileFlag) => {
        const entries = await cli.query({ type: "auth.list", profile: flags.profile });
        if (out.json) out.data({ credentials: entries });
        else if (entries.length === 0) out.line("no credentials; `sylk auth set <provider>` adds one");
        else for (const e of entries) out.line(`${e.provider.padEnd(12)}  ${e.profile.padEnd(10)}  ${PLACES[e.source]} (${e.place})`);
      });
    command
      .command("remove <provider>")
      .description("forget a stored credential")
      .option("--profile <name>", "of this profile")
      .action(async (provider: string, flags: ProfileFlag) => {
        const removed = await cli.send({ type: "auth.remove", provider, profile: flags.profile });
        out.result({ provider, removed }, () =>
          removed.length === 0
            ? `nothing was stored for ${provider}`
            : `${provider}: removed from the ${removed.map((s) => PLACES[s]).join(" and the ")}`,
        );
        if (removed.length === 0) cli.setExit(EXIT.failure);
      });
    command
      .command("grants")
      .description("which agents may use which of your accounts without asking; `sylk permissions forget agent:provider` takes it back")
      .action(async () => {
        const lists = await cli.query({ type: "permission.list" });
        const grants = lists.flatMap(({ scope, rules }) => rules.credentials.map((grant) => ({ grant, scope })));
        if (out.json) out.data({ grants });
        else if (grants.length === 0) out.line("none");
        else for (const { grant, scope } of grants) out.line(`${grant}  (${scope})`);
      });
    command
      .command("test <provider>")
      .description("ask the provider whether it accepts the key that would be used")
      .option("--profile <name>", "of this profile")
      .action(async (provider: string, flags: ProfileFlag) => {
        const tested = await cli.query({ type: "auth.test", provider, profile: flags.profile });
        out.result(
          { provider, ...tested },
          () => `${provider}: from the ${PLACES[tested.source]} (${tested.place}); ${CHECKED[tested.check.kind]}`,
        );
        if (tested.check.kind === "rejected") cli.setExit(EXIT.notSignedIn);
        else if (tested.check.kind === "unreachable") cli.setExit(EXIT.provider);
      });
  },
};
