/** A server of one's own that speaks OpenAI's protocol: its address is asked for, then which of its models is used. */
import { wording } from "../../kernel/index.ts";
import type { Result } from "../../protocol/api/index.ts";
import type { CliContext } from "./command.ts";

const SHOWN = 15;

type Served = Extract<Result<"model.served">, { kind: "served" }>;

export const served = (cli: CliContext, url: string): Promise<Result<"model.served">> => cli.query({ type: "model.served", url });

const OLLAMA = "127.0.0.1:11434";
export const placeOfOllama = ({ env }: CliContext): string => env["OLLAMA_HOST"] || OLLAMA;

export async function chooseModel(cli: CliContext, models: readonly string[], initial: string | undefined): Promise<void> {
  const options = models.slice(0, SHOWN).map((id) => ({ value: id, label: id }));
  if (options.length === 0) return;
  const chosen = await cli.ask.choice({ message: "Which model?", options, initial, signal: cli.signal });
  if (chosen === undefined) return;
  await cli.send({ type: "setting.set", key: "llm.default_model", value: JSON.stringify(chosen), scope: "user" });
  await cli.reopen();
  cli.out.line(`using ${chosen}; \`sylk config set llm.default_model …\` changes it`);
}

/** A server at the usual place of Ollama is known already; any other is written down. False: it has no model. */
export async function useServer(cli: CliContext, { base_url: base, models }: Served, isOllama: boolean): Promise<boolean> {
  const provider = isOllama ? "ollama" : "local";
  if (models.length === 0) {
    cli.out.line(`${base} has no model yet${isOllama ? "; `ollama pull <model>` brings one" : ""}`);
    return false;
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
  return true;
}

/** What answers there, and is used from now on. False: nothing that could be; why is said. */
export async function useAddress(cli: CliContext, address: string): Promise<boolean> {
  const found = await served(cli, address);
  if (found.kind === "unreachable") {
    cli.out.line(`${wording.oneLine(found.why, 200)}; docs/models.md tells how a server is written down`);
    return false;
  }
  const ollama = await served(cli, placeOfOllama(cli));
  return useServer(cli, found, ollama.kind === "served" && found.base_url === ollama.base_url);
}

/** Asked until a server answers; false: Escape, and nothing is set up. */
export async function askForServer(cli: CliContext): Promise<boolean> {
  for (;;) {
    const said = await cli.ask.text({
      message: "Address of the server (Esc goes back)",
      placeholder: placeOfOllama(cli),
      signal: cli.signal,
    });
    if (said === undefined) return false;
    if (await useAddress(cli, said.trim() === "" ? placeOfOllama(cli) : said.trim())) return true;
  }
}
