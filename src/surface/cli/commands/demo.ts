import { readFileSync } from "node:fs";
import { openCopy } from "../../../app/index.ts";
import { systemClock, systemPaths } from "../../../kernel/index.ts";
import type { Api, Result } from "../../../protocol/api/index.ts";
import { connectHere } from "../../connect.ts";
import type { CliContext, CommandModule } from "../command.ts";
import { inCopy } from "../in-copy.ts";
import { asShown } from "../render-trust.ts";
import { runRequest } from "../run-request.ts";

/** Whose voice was recorded; what it would have cost is told by the prices that ship. */
const VOICE = "openai/gpt-5";

/** Where there is no sandbox, how the project that ships tests itself would be asked about, and nobody is there. */
const ALLOWED = ["node --test"];

/** What it brings is ours. */
async function trust(api: Api): Promise<void> {
  const { things } = await api.query({ type: "trust.status", checks: "all" });
  await api.send({ type: "trust.decide", answer: "yes", things: asShown(things), earlier: "forget" });
}

async function priceOf(api: Api, { usage }: Result<"request.show">): Promise<number | undefined> {
  const { models } = await api.query({ type: "model.list" });
  const known = models.find(({ id }) => id === VOICE);
  return known === undefined ? undefined : (usage.input * known.input_price + usage.output * known.output_price) / 1_000_000;
}

async function runDemo(cli: CliContext, keep: boolean): Promise<void> {
  const { out, signal } = cli;
  const words = readFileSync(systemPaths.shipped("demo", "request.txt"), "utf8").trim();
  const began = systemClock.monotonic();
  const folder = await openCopy("demo", { clock: systemClock, signal });
  const connection = await connectHere({
    cwd: folder.project,
    env: { ...cli.env, SYLK_HOME: folder.home, SYLK_TEAM_CLASSIFY: "false" },
    clock: systemClock,
    permissions: { allow: ALLOWED },
  });
  const { api } = connection;
  try {
    await trust(api);
    if (!out.json) {
      out.note(
        `${out.style("bold", "A small project, one request, a team.")} Only the model's voice is recorded; trees, edits, tests and merges are real.`,
      );
      out.note(out.style("dim", `  in ${folder.project}`));
      out.note(`\n  "${words}"\n`);
    }
    const { id } = await api.send(
      {
        type: "request.start",
        options: {
          words,
          constraints: [],
          criteria: [],
          checks: [],
          approve: "auto",
          // So small a project one would do alone; here the team is to be seen.
          mode: "team",
          model: `replay/${systemPaths.shipped("demo", "cassette.yaml")}?lenient`,
          profile: "default",
        },
      },
      signal,
    );
    const end = await runRequest(inCopy(cli, api), id, { gone: !keep });
    const usd = await priceOf(api, end);
    const seconds = Math.round((systemClock.monotonic() - began) / 1_000);
    out.result({ type: "demo", seconds, would_cost_usd: usd, folder: keep ? folder.project : undefined }, () =>
      [
        `${seconds} s; ${usd === undefined ? "" : `with ${VOICE} it would have cost $${usd.toFixed(2)}`}`,
        keep ? `the project is kept: ${folder.project}` : out.style("dim", "the copy is removed; `sylk demo --keep` leaves it to look at"),
        "",
        "In a project of your own:",
        "  sylk auth login                          # once: a provider's key",
        '  sylk run "what you want, in your words"  # shows the plan and asks before anything is built',
      ].join("\n"),
    );
  } finally {
    await connection.close();
    if (!keep) await folder.drop();
  }
}

export const command: CommandModule = {
  build(command, cli) {
    command
      .option("--keep", "leave the folder there, to look at what was built")
      .addHelpText(
        "after",
        "\nA request is planned, built in four pieces by a recorded model, judged and merged, in a copy of a small project that is removed\nafterwards. It needs no key, no network and nothing of yours; it ends with 0 only when the request is done.\n\nExamples:\n  $ sylk demo\n  $ sylk demo --keep\n  $ sylk demo --json",
      )
      .action((flags: { keep?: boolean }) => runDemo(cli, flags.keep === true));
  },
};
