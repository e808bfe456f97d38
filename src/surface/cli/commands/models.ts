import { SylkError, isoTime } from "../../../kernel/index.ts";
import type { Result } from "../../../protocol/api/index.ts";
import type { CliContext, CommandModule } from "../command.ts";
import { exitCodeOf } from "../exit-codes.ts";
import type { Output } from "../output.ts";
import { defaultModel } from "../sign-in.ts";
import { visibleLine } from "../visible-text.ts";

type Listing = Result<"model.list">;

const money = (perMillion: number): string => `$${perMillion}`;

function statusWords(status: Listing["providers"][number]["status"], out: Output): string {
  switch (status.kind) {
    case "ready":
      return out.style("green", "ready");
    case "disabled":
      return "disabled";
    case "silent":
      return out.style("yellow", visibleLine(status.what));
    case "missing":
      return out.style("dim", status.what);
  }
}

/** What servers of one's own have; nothing is known of these models but their names. */
async function servedHere({ providers, models }: Listing, cli: CliContext): Promise<string[]> {
  const own = providers.flatMap(({ name, status, server }) => (status.kind === "ready" && server !== undefined ? [{ name, server }] : []));
  const lists = await Promise.all(
    own.map(async ({ name, server }) => {
      const found = await cli.query({ type: "model.served", url: server });
      return found.kind === "served" ? found.models.map((model) => `${name}/${model}`) : [];
    }),
  );
  return lists.flat().filter((id) => !models.some((one) => one.id === id));
}

async function renderListing(listing: Listing, cli: CliContext, all: boolean): Promise<void> {
  const { out } = cli;
  const own = await defaultModel(cli);
  const used = cli.model ?? own;
  const sign = (id: string): string => (id === used ? "→ " : "  ");
  if (used !== undefined) out.line(`${out.style("bold", "in use")}  ${visibleLine(used)}`);
  const marked = (id: string): string => (id === own ? out.style("green", "  (default)") : "");
  out.line(out.style("bold", "providers"));
  for (const { name, kind, status } of listing.providers) {
    out.line(`  ${name.padEnd(12)} ${kind.padEnd(12)} ${statusWords(status, out)}`);
  }
  out.line(out.style("bold", "tiers"));
  for (const tier of listing.tiers)
    out.line(`  ${tier.name.padEnd(12)} ${tier.chain.join(" → ")}${tier.configured ? "" : out.style("dim", "  (shipped)")}`);
  const models = listing.models.filter((model) => all || model.ready);
  const served = await servedHere(listing, cli);
  // Used without being listed by anybody: it is named all the same.
  if (own?.includes("/") === true && ![...models.map(({ id }) => id), ...served].includes(own)) served.push(own);
  if (models.length === 0 && served.length === 0) {
    out.note("no provider with known models is set up; --all lists what is known");
    return;
  }
  out.line(out.style("bold", "models"));
  out.line(out.style("dim", `  ${"".padEnd(36)} ${"context".padStart(9)} ${"output".padStart(8)}  in / out / cached per million tokens`));
  for (const m of models) {
    const prices = `${money(m.input_price)} / ${money(m.output_price)} / ${money(m.cache_read_price)}${m.assumed ? " (assumed)" : ""}`;
    out.line(
      `${sign(m.id)}${m.id.padEnd(36)} ${String(m.context_window).padStart(9)} ${String(m.max_output).padStart(8)}  ${prices}${marked(m.id)}`,
    );
  }
  for (const id of served) out.line(`${sign(id)}${visibleLine(id).padEnd(36)}${marked(id)}`);
}

export const command: CommandModule = {
  build(command, cli) {
    const { out } = cli;
    command.addHelpText(
      "after",
      "\nExamples:\n  $ sylk models list\n  $ sylk models list --all --json\n  $ sylk models test openai/gpt-5-mini\n  $ sylk models reset anthropic/claude-sonnet-4-5",
    );
    command
      .command("list")
      .description("providers, tiers, known models and what is missing to use them")
      .option("--all", "also models of providers that are not set up")
      .action(async (flags: { all?: boolean }) => {
        const listing = await cli.query({ type: "model.list", ask: true });
        if (out.json) out.data(listing);
        else await renderListing(listing, cli, flags.all === true);
      });
    command
      .command("test [model]")
      .description("make one small real call (default: the configured model)")
      .action(async (model: string | undefined) => {
        out.progress("asking");
        const { first_word_ms: firstWordMs, ...tested } = await cli.send({ type: "model.test", model });
        const first = firstWordMs === undefined ? "" : `, first word after ${firstWordMs} ms`;
        out.result(
          tested,
          () =>
            `${tested.answered} answered in ${tested.ms} ms${first}: ${tested.usage.input_tokens} tokens in, ${tested.usage.output_tokens} out, $${tested.cost_usd.toFixed(6)}`,
        );
      });
    command
      .command("reset [breaker]")
      .description("ask again at once a provider or model that was given up; without a name, show which")
      .action(async (breaker: string | undefined) => {
        if (breaker !== undefined) {
          await cli.send({ type: "model.reset", breaker });
          out.result({ reset: breaker }, () => `${breaker} will be asked again`);
          return;
        }
        const tripped = await cli.query({ type: "model.tripped" });
        if (out.json) out.data({ tripped });
        else if (tripped.length === 0) out.line("every provider and model is asked normally");
        else
          for (const { id, state, until } of tripped)
            out.line(`${id.slice("llm:".length)}  ${state}${until === null ? "" : ` until ${isoTime(until)}`}`);
        if (tripped.length > 0)
          cli.setExit(exitCodeOf(new SylkError({ code: "MODEL_BREAKER_OPEN", tier: "external_degrading", message: "" })));
      });
  },
};
