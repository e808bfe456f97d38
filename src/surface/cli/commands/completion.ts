import { shortIds, SylkError } from "../../../kernel/index.ts";
import type { CliContext, CommandModule } from "../command.ts";
import { SHORT_WORDS } from "../short-words.ts";
import { Command } from "commander";

const SHELLS = ["bash", "zsh", "fish"] as const;

/** What is known of the value of an option, and of the first argument of a sub-command, by its name. */
const OPTIONS: Readonly<Record<string, string>> = { "-m": "models", "--model": "models", "--role": "roles" };
const ARGUMENTS: Readonly<Record<string, string>> = {
  "task id": "tasks",
  "session id": "sessions",
  "import tool": "imports",
  "agents role": "roles",
  "models model": "models",
  "auth provider": "providers",
};

interface Tree {
  subs: Map<string, string[]>;
  flags: Map<string, string[]>;
  first: Map<string, string>;
}

/** Names of every command and its sub-commands, read from the commands themselves, with what they take. */
async function tree(cli: CliContext): Promise<Tree> {
  const found: Tree = { subs: new Map(), flags: new Map(), first: new Map() };
  for (const { name, load } of cli.commands) {
    const probe = new Command(name);
    (await load()).command.build(probe, cli);
    found.subs.set(
      name,
      probe.commands.map((sub) => sub.name()),
    );
    for (const one of [probe, ...probe.commands]) {
      const words = one === probe ? name : `${name} ${one.name()}`;
      found.flags.set(
        words,
        one.options.flatMap(({ long }) => long ?? []),
      );
      const taken = ARGUMENTS[`${name} ${one.registeredArguments[0]?.name() ?? ""}`];
      if (taken !== undefined) found.first.set(words, taken);
    }
  }
  for (const [word, meant] of Object.entries(SHORT_WORDS)) {
    const long = meant.join(" ");
    found.subs.set(word, []);
    found.flags.set(word, found.flags.get(long) ?? []);
    const taken = found.first.get(long);
    if (taken !== undefined) found.first.set(word, taken);
  }
  return found;
}

const MAX_TASKS = 30;

/** Names that mean something to a shell are not offered: a project chooses some of them. */
const PLAIN = /^[\w./:@-]+$/;

/** What may stand there now; asked for by the scripts at every tab, so it must be quick and may be empty. */
async function valuesOf(cli: CliContext, what: string): Promise<string[]> {
  return (await namesOf(cli, what)).filter((name) => PLAIN.test(name));
}

async function namesOf(cli: CliContext, what: string): Promise<string[]> {
  switch (what) {
    case "tasks":
      return ["last", ...(await cli.query({ type: "task.list", limit: MAX_TASKS })).map(({ id }) => shortIds.shorten(id))];
    case "sessions":
      return ["last", ...(await cli.query({ type: "request.list", limit: MAX_TASKS })).map(({ id }) => shortIds.shorten(id))];
    case "imports":
      return ["claude", "codex", "gemini", "opencode", "cursor", "taskmaster"];
    case "roles":
      return (await cli.query({ type: "agent.list" })).agents.map(({ role }) => role);
    case "models": {
      const { models, tiers } = await cli.query({ type: "model.list" });
      return [...tiers.map(({ name }) => name), ...models.filter(({ ready }) => ready).map(({ id }) => id)];
    }
    case "providers":
      return (await cli.query({ type: "model.list" })).providers.map(({ name }) => name);
    default:
      return [];
  }
}

/** Conditions, then what is offered; words are offered until one of them was said. */
function fishScript(top: string, { subs, flags, first }: Tree): string {
  const seen = (words: string): string =>
    words
      .split(" ")
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join("; and ");
  const values = (what: string): string => `-a "(sylk completion --values ${what} 2>/dev/null)"`;
  return [
    `complete -c sylk -f -n __fish_use_subcommand -a "${top}"`,
    ...[...subs]
      .filter(([, names]) => names.length > 0)
      .map(([name, names]) => {
        const all = names.join(" ");
        return `complete -c sylk -f -n "${seen(name)}; and not __fish_seen_subcommand_from ${all}" -a "${all}"`;
      }),
    `complete -c sylk -f -n "__fish_seen_subcommand_from answer questions" -a "(sylk questions --ids 2>/dev/null)"`,
    ...[...first].map(([words, what]) => `complete -c sylk -f -n "${seen(words)}" ${values(what)}`),
    ...[...flags].flatMap(([words, names]) =>
      names.filter((name) => !Object.hasOwn(OPTIONS, name)).map((name) => `complete -c sylk -n "${seen(words)}" -l ${name.slice(2)}`),
    ),
    ...Object.entries(OPTIONS)
      .filter(([flag]) => flag.startsWith("--"))
      .map(([flag, what]) => `complete -c sylk -x -l ${flag.slice(2)} ${values(what)}`),
    "complete -c sylk -l json -d 'machine-readable output'",
    "complete -c sylk -s C -l cd -r -d 'work in another folder'",
  ].join("\n");
}

function script(shell: (typeof SHELLS)[number], { subs, flags, first }: Tree): string {
  const top = [...subs.keys(), "help"].join(" ");
  const cases = [...subs].filter(([, names]) => names.length > 0);
  if (shell === "fish") return fishScript(top, { subs, flags, first });
  const reply = (words: string): string => `COMPREPLY=($(compgen -W "${words}" -- "$cur")); return`;
  const ask = (what: string): string => `_sylk_from completion --values ${what}; return`;
  const body = [
    // What is looked up is compared as text; `compgen -W` would expand it.
    "_sylk_from() {",
    "  local word",
    "  COMPREPLY=()",
    '  while IFS= read -r word; do case "$word" in "$cur"*) COMPREPLY+=("$word") ;; esac; done < <(sylk "$@" 2>/dev/null)',
    "}",
    "_sylk() {",
    '  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" cmd="${COMP_WORDS[1]}" sub="${COMP_WORDS[2]}"',
    `  if [ "$COMP_CWORD" -eq 1 ]; then ${reply(`${top} --json --help --version`)}; fi`,
    '  case "$prev" in',
    ...Object.entries(OPTIONS).map(([flag, what]) => `    ${flag}) ${ask(what)} ;;`),
    "  esac",
    '  if [ "$COMP_CWORD" -eq 2 ]; then case "$cmd" in',
    ...cases.map(([name, names]) => `    ${name}) ${reply(names.join(" "))} ;;`),
    "  esac; fi",
    '  case "$cur" in -*) case "$cmd $sub" in',
    ...[...flags]
      .filter(([, names]) => names.length > 0)
      .map(([words, names]) => `    "${words}"${words.includes(" ") ? "" : "*"}) ${reply(names.join(" "))} ;;`),
    "  esac ;; esac",
    // What is asked changes: it is looked up.
    '  if [ "$cmd" = answer ] || [ "$cmd" = questions ]; then',
    `    if [ "$COMP_CWORD" -eq 2 ]; then _sylk_from questions --ids; return; fi`,
    `    if [ "$COMP_CWORD" -eq 3 ]; then _sylk_from questions "\${COMP_WORDS[2]}" --ids; return; fi`,
    "  fi",
    '  if [ "$COMP_CWORD" -eq 3 ]; then case "$cmd $sub" in',
    ...[...first].filter(([words]) => words.includes(" ")).map(([words, what]) => `    "${words}") ${ask(what)} ;;`),
    "  esac; fi",
    '  if [ "$COMP_CWORD" -eq 2 ]; then case "$cmd" in',
    ...[...first].filter(([words]) => !words.includes(" ")).map(([words, what]) => `    ${words}) ${ask(what)} ;;`),
    "  esac; fi",
    '  COMPREPLY=($(compgen -f -- "$cur"))',
    "}",
    "complete -F _sylk sylk",
  ];
  return shell === "zsh"
    ? ["(( $+functions[compdef] )) || { autoload -U compinit && compinit; }", "autoload -U +X bashcompinit && bashcompinit", ...body].join(
        "\n",
      )
    : body.join("\n");
}

export const command: CommandModule = {
  build(command, cli) {
    command
      .argument("[shell]", SHELLS.join(", "))
      .option(
        "--values <what>",
        "what may stand there now, one a line: tasks, sessions, roles, models, providers, imports; the scripts ask for it",
      )
      .addHelpText(
        "after",
        '\nTo have it in every shell:\n  bash  put  eval "$(sylk completion bash)"  into ~/.bashrc\n  zsh   put  eval "$(sylk completion zsh)"   into ~/.zshrc\n  fish  write it once, as below\n\nExamples:\n  $ eval "$(sylk completion bash)"\n  $ eval "$(sylk completion zsh)"\n  $ sylk completion fish > ~/.config/fish/completions/sylk.fish',
      )
      .action(async (shell: string | undefined, flags: { values?: string }) => {
        if (flags.values !== undefined) {
          const values = await valuesOf(cli, flags.values);
          cli.out.result({ values }, () => values.join("\n"));
          return;
        }
        const known = SHELLS.find((candidate) => candidate === shell);
        if (known === undefined)
          throw new SylkError({
            code: "USAGE_UNKNOWN_SHELL",
            tier: "user_fixable",
            message: shell === undefined ? "no shell was named" : `no completion for ${shell}`,
            fix: `one of ${SHELLS.join(", ")}`,
          });
        const text = script(known, await tree(cli));
        cli.out.result({ shell: known, script: text }, () => text);
      });
  },
};
