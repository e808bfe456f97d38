import { once } from "node:events";
import type { Command } from "commander";
import { SylkError, systemClock, wording } from "../../../kernel/index.ts";
import type { Result } from "../../../protocol/api/index.ts";
import { collect } from "../collect.ts";
import type { CliContext, CommandModule } from "../command.ts";
import type { Output } from "../output.ts";
import { portOf } from "../whole-number.ts";

type Line = Result<"mcp.list">[number];

interface AddFlags {
  url?: string;
  env: string[];
  header: string[];
  project?: boolean;
}

const NONE = "there are no MCP servers; `sylk mcp add` writes one down, docs/mcp.md tells where else they may stand";

function wrong(message: string, fix: string): SylkError {
  return new SylkError({ code: "USAGE_MCP_SERVER", tier: "user_fixable", message, fix });
}

/** `NAME=value`, or `Name: value`. */
function pairs(given: readonly string[], sign: "=" | ":"): Record<string, string> {
  return Object.fromEntries(
    given.map((one) => {
      const at = one.indexOf(sign);
      if (at < 1) throw wrong(`${wording.shorten(one, 60)} has no name`, sign === "=" ? "--env NAME=value" : '--header "Name: value"');
      return [one.slice(0, at).trim(), one.slice(at + 1).trim()] as const;
    }),
  );
}

function reachOf(words: readonly string[], { url, env, header }: AddFlags) {
  const [command, ...args] = words;
  const address = url ?? (/^https?:\/\//u.test(command ?? "") ? command : undefined);
  if (address !== undefined) return { kind: "http" as const, url: address, headers: pairs(header, ":") };
  if (command === undefined) throw wrong("it has neither a command nor a url", "sylk mcp add <name> -- <command>, or --url <address>");
  return { kind: "stdio" as const, command, args, env: pairs(env, "=") };
}

function shown({ name, target, file, counts, why, found }: Line, out: Output): string {
  const well = counts && found?.ok !== false;
  const mark = well ? out.style("green", "✓") : out.style("yellow", "–");
  const head = `${mark} ${name}  ${wording.oneLine(target)}  ${out.style("dim", file)}`;
  if (!counts) return `${head}\n    does not count: ${why ?? ""}`;
  if (found === undefined) return head;
  return found.ok
    ? `${head}\n    ${found.server}, ${found.tools} tools, protocol ${found.protocol}`
    : `${head}\n    cannot be used: ${found.why}`;
}

async function serve(cli: CliContext, flags: { http?: boolean; port: string }): Promise<void> {
  const port = portOf(flags.port);
  const api = await cli.api();
  const { createMcpServer, serveHttp, servePipe } = await import("../../mcp/index.ts");
  const create = () => createMcpServer(api, cli.signal);
  if (flags.http !== true) return servePipe(create, systemClock, cli.signal);
  const { file, token } = (await cli.app()).serverToken("mcp");
  await using server = await serveHttp(create, { port, token });
  cli.out.result(
    { url: server.url, token_file: file },
    () => `serving MCP at ${server.url}; clients send \`Authorization: Bearer\` with the token in ${file}; Ctrl+C ends`,
  );
  if (!cli.signal.aborted) await once(cli.signal, "abort");
}

function buildServers(command: Command, cli: CliContext): void {
  const { out } = cli;
  command
    .command("list")
    .description("every MCP server that is written down for agents here, and whether it counts; starts none")
    .option("--check", "connect to each that counts")
    .action(async ({ check }: { check?: boolean }) => {
      const servers = await cli.query({ type: "mcp.list", check: check === true });
      out.result({ servers }, () => (servers.length === 0 ? NONE : servers.map((one) => shown(one, out)).join("\n")));
      if (servers.some(({ found }) => found?.ok === false)) cli.setExit(1);
    });
  command
    .command("add <name> [command...]")
    .description("write a server down: its command after --, or its address")
    .option("--url <address>", "one that is reached over HTTP")
    .option("--env <NAME=value>", "a variable for its program; ${NAME} in the value is filled in when it starts", collect, [])
    .option("--header <name: value>", "a header for its address", collect, [])
    .option("--project", "into .mcp.json of this project instead of your own list")
    .action(async (name: string, words: string[], flags: AddFlags) => {
      const scope = flags.project === true ? "project" : "user";
      const { file } = await cli.send({ type: "mcp.add", name, reach: reachOf(words, flags), scope });
      const next = scope === "user" ? `\`sylk mcp list --check\` tries it` : "`sylk trust` lets it count";
      out.result({ name, file }, () => `${name} is written to ${file}; ${next}`);
    });
  command
    .command("remove <name>")
    .description("take a server out of the list it stands in")
    .action(async (name: string) => {
      const { file } = await cli.send({ type: "mcp.remove", name });
      out.result({ name, file }, () => `${name} is gone from ${file}`);
    });
  command
    .command("login <server>")
    .description("sign in to a server that is reached over HTTP: you agree in the browser, the token is kept for you alone")
    .option("--client-id <id>", "as whom you registered Sylk there by hand; without it, it registers itself")
    .option("--client-secret-env <name>", "the variable of your environment that holds its secret")
    .option("--callback-port <n>", "the port of 127.0.0.1 you registered it with (path /callback)")
    .action(async (server: string, flags: { clientId?: string; clientSecretEnv?: string; callbackPort?: string }) => {
      const { signInToServer } = await import("../sign-in-to-server.ts");
      const { clientId, clientSecretEnv, callbackPort } = flags;
      await signInToServer(cli, server, { clientId, clientSecretEnv, callbackPort });
    });
  command
    .command("logout <server>")
    .description("forget the token")
    .action(async (server: string) => {
      const { was_signed_in: was } = await cli.send({ type: "mcp.logout", server });
      out.result({ server, was_signed_in: was }, () => (was ? `signed out of ${server}` : `nobody was signed in to ${server}`));
    });
  command
    .command("prompt <server> <prompt> [words...]")
    .description("show one of a server's prompts, filled in; in a session /server:prompt says it")
    .action(async (server: string, prompt: string, words: string[]) => {
      const said = await cli.query({ type: "mcp.prompt", server, prompt, words });
      out.result(said, () => said.text);
    });
}

export const command: CommandModule = {
  build(command, cli) {
    command
      .option("--http", "streamable HTTP on this machine instead of stdin and stdout")
      .option("--port <n>", "port for --http; 0 takes a free one", "0")
      .addHelpText(
        "after",
        '\nWithout a further word it serves this project to other agents. Tools: search, map, why, history, memory.\nThe further words are about servers that agents here may use.\n\nExamples:\n  $ sylk mcp                 # for an agent that starts it\n  $ sylk mcp --http --port 4100   # prints the file with the token that clients must send\n  $ sylk mcp add files -- npx -y @modelcontextprotocol/server-filesystem \'${SYLK_PROJECT_DIR}\'\n  $ sylk mcp add tracker --url https://tracker.example/mcp --header "Authorization: Bearer ${TRACKER_TOKEN}"\n  $ sylk mcp list --check\n\nIn .mcp.json: {"mcpServers": {"sylk": {"command": "sylk", "args": ["mcp"]}}}',
      )
      .action((flags: { http?: boolean; port: string }) => serve(cli, flags));
    buildServers(command, cli);
  },
};
