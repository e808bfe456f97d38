/**
 * The first minute at a terminal: where no model can be used, a key or the address of a local server is asked for, and
 * then which of its models; kept as `sylk auth login` and `sylk config set` keep them. What does not work is asked again; Escape goes back, and skips.
 */
import { isAbort } from "../../kernel/index.ts";
import type { CliContext } from "./command.ts";
import { keepKey, missingProvider, pickProvider, SERVER } from "./sign-in.ts";
import { askForServer, chooseModel, placeOfOllama, served, useAddress, useServer } from "./use-server.ts";

/** How keys begin that only one maker gives out. A bare `sk-` is used by many: sent to the wrong one, the key would be told to a stranger. */
const KEYS: readonly [RegExp, string][] = [
  [/^sk-ant-/u, "anthropic"],
  [/^sk-or-/u, "openrouter"],
  [/^sk-(?:proj|svcacct|admin)-/u, "openai"],
  [/^AIza/u, "google"],
];
/** With a scheme, or a dot or `localhost` before the port: a key may be `name:123`. */
const ADDRESS = /^(?:https?:\/\/\S+|localhost(?::\d+)?(?:\/\S*)?|[\w-]+\.[\w.-]*:\d+(?:\/\S*)?)$/iu;

/** Shown while it is typed: how no key begins, and nothing that may hold a password. */
const isPlainAddress = (typed: string): boolean =>
  !typed.includes("@") && (/^(?:https?:\/\/|localhost\b|\d{1,3}\.\d)/iu.test(typed) || ADDRESS.test(typed));

/** Whose it is and which model: false where Escape goes back to the first question. */
async function useKey(cli: CliContext, key: string): Promise<boolean> {
  const provider = KEYS.find(([start]) => start.test(key))?.[1] ?? (await pickProvider(cli));
  if (provider === undefined) return false;
  if (provider === SERVER) return askForServer(cli);
  await keepKey(cli, provider, key, {});
  const { models, tiers } = await cli.query({ type: "model.list" });
  const ids = models.map(({ id }) => id).filter((id) => id.startsWith(`${provider}/`));
  const balanced = tiers.find(({ name }) => name === "balanced")?.chain.find((id) => ids.includes(id));
  await chooseModel(cli, balanced === undefined ? ids : [balanced, ...ids.filter((id) => id !== balanced)], balanced);
  return true;
}

/** False: it did not work, why is said, and it is asked again. */
async function take(cli: CliContext, said: string): Promise<boolean> {
  try {
    return await (ADDRESS.test(said) ? useAddress(cli, said) : useKey(cli, said));
  } catch (error) {
    if (isAbort(error) || cli.signal.aborted) throw error;
    cli.out.error(error);
    return false;
  }
}

export async function firstRun(cli: CliContext): Promise<void> {
  if ((await missingProvider(cli, undefined)) !== undefined) await askForModel(cli, "No model can be used yet. ");
}

/** Whoever has one already may give another. */
export async function askForModel(cli: CliContext, before = ""): Promise<void> {
  const { out } = cli;
  const place = placeOfOllama(cli);
  const ollama = await served(cli, place);
  out.line(`${before}Give a key of Anthropic, OpenAI, Google or OpenRouter, or the address of a local server.`);
  out.line(out.style("dim", "Esc skips. `/search`, `/demo` and whatever only looks need no model; `sylk auth login` sets one up later."));
  const enter = ollama.kind === "served" ? `; Enter takes Ollama at ${place}` : "";
  const message = `API key or address (a key is not shown)${enter}`;
  for (;;) {
    const said = (await cli.ask.hidden({ message, shows: isPlainAddress, signal: cli.signal }))?.trim();
    if (said === undefined || (said === "" && ollama.kind !== "served")) {
      out.line("skipped; `sylk auth login` gives a key or the address of a server");
      return;
    }
    if (await (said === "" && ollama.kind === "served" ? useServer(cli, ollama, true) : take(cli, said))) return;
  }
}
