/**
 * The first minute at a terminal: where no model can be used, a key or the address of a local server is asked for, and
 * then which of its models; kept as `sylk auth login` and `sylk config set` keep them. Escape skips either.
 */
import { wording } from "../../kernel/index.ts";
import type { Result } from "../../protocol/api/index.ts";
import type { CliContext } from "./command.ts";
import { chooseProvider, keepKey, missingProvider } from "./sign-in.ts";

const OLLAMA = "127.0.0.1:11434";
const SHOWN = 15;
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

type Served = Extract<Result<"model.served">, { kind: "served" }>;

const served = (cli: CliContext, url: string): Promise<Result<"model.served">> => cli.query({ type: "model.served", url });

async function chooseModel(cli: CliContext, models: readonly string[], initial: string | undefined): Promise<void> {
  const options = models.slice(0, SHOWN).map((id) => ({ value: id, label: id }));
  if (options.length === 0) return;
  const chosen = await cli.ask.choice({ message: "Which model?", options, initial, signal: cli.signal });
  if (chosen === undefined) return;
  await cli.send({ type: "setting.set", key: "llm.default_model", value: JSON.stringify(chosen), scope: "user" });
  await cli.reopen();
  cli.out.line(`using ${chosen}; \`sylk config set llm.default_model …\` changes it`);
}

/** A server at the usual place of Ollama is known already; any other is written down. */
async function useServer(cli: CliContext, { base_url: base, models }: Served, isOllama: boolean): Promise<void> {
  const provider = isOllama ? "ollama" : "local";
  if (models.length === 0) {
    cli.out.line(`${base} has no model yet${isOllama ? "; `ollama pull <model>` brings one" : ""}`);
    return;
  }
  if (!isOllama) {
    const value = JSON.stringify({ kind: "compatible", base_url: base });
    await cli.send({ type: "setting.set", key: `llm.providers.${provider}`, value, scope: "user" });
  }
  await chooseModel(
    cli,
    models.map((id) => `${provider}/${id}`),
    undefined,
  );
}

async function useKey(cli: CliContext, key: string): Promise<void> {
  const provider = KEYS.find(([start]) => start.test(key))?.[1] ?? (await chooseProvider(cli));
  await keepKey(cli, provider, key, {});
  const { models, tiers } = await cli.query({ type: "model.list" });
  const ids = models.map(({ id }) => id).filter((id) => id.startsWith(`${provider}/`));
  const balanced = tiers.find(({ name }) => name === "balanced")?.chain.find((id) => ids.includes(id));
  await chooseModel(cli, balanced === undefined ? ids : [balanced, ...ids.filter((id) => id !== balanced)], balanced);
}

export async function firstRun(cli: CliContext): Promise<void> {
  if ((await missingProvider(cli, undefined)) !== undefined) await askForModel(cli, "No model can be used yet. ");
}

/** Whoever has one already may give another. */
export async function askForModel(cli: CliContext, before = ""): Promise<void> {
  const { out } = cli;
  const place = cli.env["OLLAMA_HOST"] || OLLAMA;
  const ollama = await served(cli, place);
  out.line(`${before}Give a key of Anthropic, OpenAI, Google or OpenRouter, or the address of a local server.`);
  out.line(out.style("dim", "Esc skips. `/search`, `/demo` and whatever only looks need no model; `sylk auth login` gives a key later."));
  const enter = ollama.kind === "served" ? `; Enter takes Ollama at ${place}` : "";
  const message = `API key or address (a key is not shown)${enter}`;
  const said = (await cli.ask.hidden({ message, shows: isPlainAddress, signal: cli.signal }))?.trim();
  if (said === undefined || (said === "" && ollama.kind !== "served")) {
    out.line("skipped; `sylk auth login` gives a key");
    return;
  }
  if (said === "" && ollama.kind === "served") return useServer(cli, ollama, true);
  if (!ADDRESS.test(said)) return useKey(cli, said);
  const found = await served(cli, said);
  if (found.kind === "unreachable") out.line(`${wording.oneLine(found.why, 200)}; docs/models.md tells how a server is written down`);
  else await useServer(cli, found, ollama.kind === "served" && found.base_url === ollama.base_url);
}
