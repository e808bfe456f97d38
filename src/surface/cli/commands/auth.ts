import type { CommandModule } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { CHECKED, PLACES, signIn, type KeyFlags } from "../sign-in.ts";

interface ProfileFlag {
  profile?: string;
}

export const command: CommandModule = {
  build(command, cli) {
    const { out } = cli;
    command.addHelpText(
      "after",
      "\nA key is looked up in the environment, the system keychain, then the encrypted file. An explicit --profile comes first.\n\nExamples:\n  $ sylk auth login\n  $ sylk auth login anthropic\n  $ sylk auth login openai --profile work < key.txt\n  $ sylk auth list\n  $ sylk auth test openai\n  $ sylk auth remove openai",
    );
    command
      .command("login [provider]")
      .alias("set")
      .description(
        "check a key and keep it in the keychain or an encrypted file; without a name you choose the provider, or give the address of a local server",
      )
      .option("--profile <name>", "under this profile")
      .option("--api-key <key>", "the key itself (better: a pipe or the prompt)")
      .option("--unverified", "keep it although the provider cannot be reached")
      .action((provider: string | undefined, flags: KeyFlags) => signIn(cli, provider, flags));
    command
      .command("list")
      .alias("status")
      .description("which credentials there are and where they come from, without their values")
      .option("--profile <name>", "of this profile")
      .action(async (flags: ProfileFlag) => {
        const entries = await cli.query({ type: "auth.list", profile: flags.profile });
        if (out.json) out.data({ credentials: entries });
        else if (entries.length === 0) out.line("no credentials; `sylk auth login` adds one");
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
