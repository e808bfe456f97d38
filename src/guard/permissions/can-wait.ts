/**
 * Whether a command can be done without for a while: nothing in its words says that it changes, fetches or starts
 * anything that only a person can decide about. Whoever asked for it is told so before a person is called for it.
 */
import path from "node:path";
import { parseShell } from "../shell/parse-shell.ts";
import { literalWord, type SimpleCommand } from "../shell/types.ts";
import { unwrapCommands } from "../shell/unwrap-command.ts";
import { PRIVILEGED } from "./safe-lists.ts";

/** Programs that are there to change, fetch, install, publish or end something. */
const CONSEQUENCES: ReadonlySet<string> = new Set(
  (
    "rm rmdir mv cp ln mkdir touch tee dd truncate chmod chown install rsync scp ssh sftp curl wget nc git gh hg svn " +
    "npm npx pnpm yarn bun corepack pip pip3 pipx uv uvx poetry pdm pipenv conda cargo rustup go gem bundle composer mvn gradle " +
    "apt apt-get dnf yum apk brew snap systemctl service docker podman kubectl helm terraform ansible aws gcloud az " +
    "kill pkill killall xargs crontab at mount umount psql mysql sqlite3 redis-cli mongosh"
  ).split(" "),
);
const NOWHERE = new Set(["/dev/null", "/dev/stdout", "/dev/stderr"]);

function writes({ redirects }: SimpleCommand): boolean {
  return redirects.some(({ operator, target }) => /^(?:>|>>|>\||<>)$/u.test(operator) && !NOWHERE.has(target.value ?? ""));
}

/** What is to be run, with the hosts and the keys it asks for. */
interface Wanted {
  readonly command: { readonly kind: "direct"; readonly argv: readonly string[] } | { readonly kind: "shell"; readonly line: string };
  readonly network: readonly string[];
  readonly keys?: readonly string[];
}

export function canWait({ command, network, keys = [] }: Wanted): boolean {
  if (network.length > 0 || keys.length > 0) return false;
  const parsed =
    command.kind === "shell"
      ? parseShell(command.line)
      : { kind: "parsed" as const, commands: [{ assignments: [], words: command.argv.map(literalWord), redirects: [] }] };
  if (parsed.kind === "refused" || parsed.commands.some((one) => one.assignments.length > 0 || writes(one))) return false;
  const { kind, invocations } = unwrapCommands(parsed.commands);
  return (
    kind === "clear" && invocations.every(({ name }) => !CONSEQUENCES.has(path.basename(name)) && !PRIVILEGED.has(path.basename(name)))
  );
}
