import { SylkError } from "../../../kernel/index.ts";
import type { CommandModule } from "../command.ts";
import { Command } from "commander";

const SHELLS = ["bash", "zsh", "fish"] as const;

/** Names of every command and its sub-commands, read from the commands themselves. */
async function tree(cli: Parameters<CommandModule["build"]>[1]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const entry of cli.commands) {
    const probe = new Command(entry.name);
    (await entry.load()).command.build(probe, cli);
    found.set(
      entry.name,
      probe.commands.map((sub) => sub.name()),
    );
  }
  return found;
}

function script(shell: (typeof SHELLS)[number], commands: Map<string, string[]>): string {
  const top = [...commands.keys(), "help"].join(" ");
  const cases = [...commands].filter(([, subs]) => subs.length > 0);
  if (shell === "fish") {
    return [
      `complete -c sylk -f -n __fish_use_subcommand -a "${top}"`,
      ...cases.map(([name, subs]) => `complete -c sylk -f -n "__fish_seen_subcommand_from ${name}" -a "${subs.join(" ")}"`),
      `complete -c sylk -f -n "__fish_seen_subcommand_from answer questions" -a "(sylk questions --ids 2>/dev/null)"`,
      "complete -c sylk -l json -d 'machine-readable output'",
      "complete -c sylk -s C -l cd -r -d 'work in another folder'",
    ].join("\n");
  }
  const body = [
    "_sylk() {",
    '  local cur="${COMP_WORDS[COMP_CWORD]}" cmd="${COMP_WORDS[1]}"',
    `  if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W "${top} --json --help --version" -- "$cur")); return; fi`,
    '  if [ "$COMP_CWORD" -eq 2 ]; then case "$cmd" in',
    ...cases.map(([name, subs]) => `    ${name}) COMPREPLY=($(compgen -W "${subs.join(" ")}" -- "$cur")); return ;;`),
    "  esac; fi",
    // What is asked changes: it is looked up.
    '  if [ "$cmd" = answer ] || [ "$cmd" = questions ]; then',
    '    if [ "$COMP_CWORD" -eq 2 ]; then COMPREPLY=($(compgen -W "$(sylk questions --ids 2>/dev/null)" -- "$cur")); return; fi',
    '    if [ "$COMP_CWORD" -eq 3 ]; then COMPREPLY=($(compgen -W "$(sylk questions "${COMP_WORDS[2]}" --ids 2>/dev/null)" -- "$cur")); return; fi',
    "  fi",
    '  COMPREPLY=($(compgen -f -- "$cur"))',
    "}",
    "complete -F _sylk sylk",
  ];
  return shell === "zsh" ? ["autoload -U +X bashcompinit && bashcompinit", ...body].join("\n") : body.join("\n");
}

export const command: CommandModule = {
  build(command, cli) {
    command
      .argument("<shell>", SHELLS.join(", "))
      .addHelpText(
        "after",
        '\nExamples:\n  $ eval "$(sylk completion bash)"\n  $ sylk completion fish > ~/.config/fish/completions/sylk.fish',
      )
      .action(async (shell: string) => {
        const known = SHELLS.find((candidate) => candidate === shell);
        if (known === undefined)
          throw new SylkError({
            code: "USAGE_UNKNOWN_SHELL",
            tier: "user_fixable",
            message: `no completion for ${shell}`,
            fix: `one of ${SHELLS.join(", ")}`,
          });
        const text = script(known, await tree(cli));
        cli.out.result({ shell: known, script: text }, () => text);
      });
  },
};
