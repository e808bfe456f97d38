/** The line below the input: model, what was spent in this session, the branch, what may be done without asking, what happens. */
import type { CliContext } from "../command.ts";
import { visibleLine } from "../visible-text.ts";

const NANO = 1e9;

interface Spent {
  tokens: number;
  usd: number;
}

interface Standing {
  mode: string;
  doing: string;
  waiting: number;
}

const short = (tokens: number): string => (tokens < 1_000 ? `${tokens}` : `${(tokens / 1_000).toFixed(1)}k`);

export class StatusLine {
  readonly #cli: CliContext;
  #atStart: Spent | undefined;

  constructor(cli: CliContext) {
    this.#cli = cli;
  }

  async #spent(): Promise<Spent> {
    const { total } = await this.#cli.query({ type: "usage.report", by: "model", period: "all" });
    const now = { tokens: total.input_tokens + total.output_tokens, usd: total.cost_nano_usd / NANO };
    this.#atStart ??= now;
    return { tokens: now.tokens - this.#atStart.tokens, usd: now.usd - this.#atStart.usd };
  }

  async text({ mode, doing, waiting }: Standing): Promise<string> {
    const model = this.#cli
      .query({ type: "setting.get", key: "llm.default_model" })
      .then(({ value }) => (typeof value === "string" ? value : "no model chosen"));
    const branch = this.#cli.query({ type: "project.branch" }).then((found) => found.branch);
    const [named, { tokens, usd }, on] = await Promise.all([model, this.#spent(), branch]);
    return [
      named,
      tokens === 0 ? "" : `${short(tokens)} tokens`,
      usd === 0 ? "" : `$${usd.toFixed(4)}`,
      on === null ? "" : visibleLine(on),
      mode === "default" ? "" : mode,
      doing,
      waiting === 0 ? "" : `${waiting} waiting`,
    ]
      .filter((part) => part !== "")
      .join(" · ");
  }
}
