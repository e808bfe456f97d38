/** Keys of providers, from a prompt, a pipe or a flag; and the offer to give one where a task needs it. */
import { text as readAll } from "node:stream/consumers";
import { SylkError } from "../../kernel/index.ts";
import type { Result } from "../../protocol/api/index.ts";
import type { CliContext } from "./command.ts";
import { askForServer } from "./use-server.ts";

export interface KeyFlags {
  profile?: string;
  apiKey?: string;
  unverified?: boolean;
}

export const CHECKED = {
  accepted: "the provider accepts it",
  rejected: "the provider rejects it",
  unreachable: "not checked: the provider could not be reached",
  unverifiable: "not checked: no check is known for this provider",
} as const;

export const PLACES = {
  environment: "environment",
  keychain: "system keychain",
  project_file: "project file",
  user_file: "encrypted file",
} as const;

async function askForKey(cli: CliContext, provider: string): Promise<string> {
  const answer = await cli.ask.hidden({ message: `${provider} API key (not shown)` });
  if (answer === undefined) throw cli.interrupt();
  return answer;
}

/** From the flag, a pipe, or a hidden prompt; never echoed. */
async function takeKey(cli: CliContext, provider: string, flag: string | undefined): Promise<string> {
  if (flag !== undefined) cli.out.note("note: a key on the command line stays in your shell's history; pipe it in or let sylk ask for it");
  const key = (flag ?? (process.stdin.isTTY ? await askForKey(cli, provider) : await readAll(process.stdin))).trim();
  if (key === "")
    throw new SylkError({
      code: "USAGE_NO_KEY",
      tier: "user_fixable",
      message: "no key was given",
      fix: `pipe it in: \`sylk auth login ${provider} < file\``,
    });
  return key;
}

type Provider = Result<"model.list">["providers"][number];

const LOCAL_SERVER = "set OPENAI_BASE_URL, or start `sylk` alone and give its address";

/** Their models are known here, and a key is what they need. */
const KEYED = ["anthropic", "openai", "google", "openrouter"];

/** Chosen instead of a provider: it needs an address, and no key. */
export const SERVER = "local server";

/** Undefined: Escape. */
export async function pickProvider(cli: CliContext): Promise<string | undefined> {
  const options = [...KEYED.map((value) => ({ value, label: value })), { value: SERVER, label: "a local server", hint: "its address" }];
  return cli.ask.choice({ message: "Whose API key do you have?", options, signal: cli.signal });
}

/** A provider whose key is asked for next, or undefined: a server was set up, and that is all. */
async function chooseProvider(cli: CliContext): Promise<string | undefined> {
  if (!cli.attended)
    throw new SylkError({
      code: "USAGE_NO_PROVIDER",
      tier: "user_fixable",
      message: "no provider was named",
      fix: `sylk auth login <provider>, one of ${KEYED.join(", ")}; for a local server ${LOCAL_SERVER}`,
    });
  for (;;) {
    const chosen = await pickProvider(cli);
    // Whoever presses Escape knows that nothing was entered.
    if (chosen === undefined) throw cli.interrupt();
    if (chosen !== SERVER) return chosen;
    if (await askForServer(cli)) return undefined;
  }
}

export async function signIn(cli: CliContext, named: string | undefined, flags: KeyFlags): Promise<void> {
  const provider = named ?? (await chooseProvider(cli));
  if (provider === undefined) return;
  await keepKey(cli, provider, await takeKey(cli, provider, flags.apiKey), flags);
}

/** Asks the provider about it, and keeps it. */
export async function keepKey(cli: CliContext, provider: string, key: string, flags: KeyFlags): Promise<void> {
  const { out } = cli;
  out.progress(`asking ${provider}`);
  const keep = (unverified: boolean): Promise<Result<"auth.set">> =>
    cli.send({ type: "auth.set", provider, key, profile: flags.profile, unverified });
  let stored: Result<"auth.set">;
  try {
    stored = await keep(flags.unverified === true).catch(async (error: unknown) => {
      if (!cli.attended || !SylkError.is(error, "AUTH_UNREACHABLE")) throw error;
      const message = `${provider} could not be asked about the key. Keep it all the same?`;
      if ((await cli.ask.yesNo({ message, signal: cli.signal })) !== true) throw error;
      return keep(true);
    });
  } finally {
    // Whatever comes next, nobody is asked any more.
    out.progress("");
  }
  out.result(
    { provider, ...stored },
    () => `${provider} (${stored.profile}): kept in the ${PLACES[stored.source]}; ${CHECKED[stored.check]}`,
  );
}

/** These stand ready without having been set up. */
const BUILT_IN = ["scripted", "replay", "ollama"];

/** Who has no key although asked for; `any` when nobody was and nothing is set up at all. */
function lacking(providers: readonly Provider[], model: string | undefined): string | undefined {
  if (model === undefined)
    return providers.every(({ name, status }) => status.kind !== "ready" || BUILT_IN.includes(name)) ? "any" : undefined;
  const named = providers.find(({ name }) => model.startsWith(`${name}/`));
  return named?.status.kind === "missing" && KEYED.includes(named.name) ? named.name : undefined;
}

/** Who must be signed in to before a task with this model can run; `any` when nobody is. */
export async function missingProvider(cli: CliContext, model: string | undefined): Promise<string | undefined> {
  const named = model ?? (await defaultModel(cli));
  // A bare name stands for a provider's model; what cannot be meant is told by the task itself.
  const wanted =
    named === undefined || named.includes("/")
      ? named
      : await cli.query({ type: "model.resolve", model: named }).then(
          ({ id }) => id,
          () => named,
        );
  const { providers } = await cli.query({ type: "model.list" });
  return lacking(providers, wanted);
}

/**
 * Before a task is made that is run at once: whoever is at the terminal and has no key is asked for one, here; where
 * nobody is, it is said what to set, and no task is left behind.
 */
export async function needSignIn(cli: CliContext, model: string | undefined): Promise<void> {
  const provider = await missingProvider(cli, model);
  if (provider === undefined) return;
  if (cli.attended) {
    cli.out.note(provider === "any" ? "No model provider is set up yet." : `There is no key for ${provider} yet.`);
    await signIn(cli, provider === "any" ? undefined : provider, {});
    return;
  }
  // Another model stands in for it, or nobody is meant: whoever makes the task tells.
  if (provider === "any" || (await hasFallback(cli))) return;
  const { providers } = await cli.query({ type: "model.list" });
  const status = providers.find(({ name }) => name === provider)?.status;
  throw new SylkError({
    code: "MODEL_NO_KEY",
    tier: "user_fixable",
    message: `there is no key for ${provider}; no task was started`,
    fix: `${status?.kind === "missing" ? status.what : "set its key"}, or \`sylk auth login ${provider}\`; for a local server ${LOCAL_SERVER}`,
  });
}

/** Whether this role could begin, with its own model or the user's; throws as its task would. */
export async function needModelOf(cli: CliContext, role: string): Promise<void> {
  const { fields } = await cli.query({ type: "agent.show", role });
  const own = fields.find(({ name }) => name === "model")?.value;
  await cli.query({ type: "model.resolve", model: typeof own === "string" ? own : "" });
}

async function hasFallback(cli: CliContext): Promise<boolean> {
  const { value } = await cli.query({ type: "setting.get", key: "llm.fallbacks" });
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

export async function defaultModel(cli: CliContext): Promise<string | undefined> {
  const { value } = await cli.query({ type: "setting.get", key: "llm.default_model" });
  return typeof value === "string" ? value : undefined;
}
