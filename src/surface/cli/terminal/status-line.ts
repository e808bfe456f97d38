/** The line below the input: model, what was spent in this session, the branch, what may be done without asking, what happens. */
import { randomUUID } from "node:crypto";
import { systemClock } from "../../../kernel/index.ts";
import type { CliContext } from "../command.ts";
import { visibleLine } from "../visible-text.ts";
import { StatusScript } from "./status-script.ts";

const NANO = 1e9;

interface Spent {
  tokens: number;
  usd: number;
}

interface Standing {
  /** Chosen in this session. */
  model: string | undefined;
  /** What counts for what runs, and where nothing does for what is said next. */
  mode: string;
  /** What counts for what is said next. */
  next: string;
  doing: string;
  waiting: number;
  running: boolean;
  columns: number;
}

const short = (tokens: number): string => (tokens < 1_000 ? `${tokens}` : `${(tokens / 1_000).toFixed(1)}k`);

/** Shorter than this, a name tells nothing. */
const LEAST_NAME = 12;

/** What happens stands at the end: where there is little room, the name before it gives way. */
function fitted([name = "", ...rest]: readonly string[], columns: number): string {
  const over = [name, ...rest].join(" · ").length - columns;
  const kept = Math.max(LEAST_NAME, name.length - over);
  return [kept < name.length ? `…${name.slice(1 - kept)}` : name, ...rest].join(" · ");
}

export class StatusLine {
  readonly #cli: CliContext;
  readonly #version: string;
  readonly #session = `session_${randomUUID()}`;
  readonly #script: StatusScript;
  #atStart: Spent | undefined;

  /** `changed`: the user's own line is another one now. */
  constructor(cli: CliContext, version: string, changed: () => void) {
    this.#cli = cli;
    this.#version = version;
    this.#script = new StatusScript(cli, changed, systemClock);
  }

  async #spent(): Promise<Spent> {
    const { total } = await this.#cli.query({ type: "usage.report", by: "model", period: "all" });
    const now = { tokens: total.input_tokens + total.output_tokens, usd: total.cost_nano_usd / NANO };
    this.#atStart ??= now;
    return { tokens: now.tokens - this.#atStart.tokens, usd: now.usd - this.#atStart.usd };
  }

  /** For the user's own program; what runs is named where something does. */
  async #tell({ mode, running }: Standing, model: string | null, { tokens, usd }: Spent, branch: string | null): Promise<void> {
    const [requests, tasks] = running
      ? await Promise.all([this.#cli.query({ type: "request.list", limit: 1 }), this.#cli.query({ type: "task.list", limit: 1 })])
      : [[], []];
    const request = requests.find((one) => one.running);
    const task = tasks.find(({ status }) => status === "running");
    this.#script.tell({
      version: this.#version,
      session: this.#session,
      cwd: this.#cli.cwd,
      model,
      mode,
      branch,
      request: request === undefined ? null : { id: request.id, status: request.status, pieces: request.pieces, merged: request.merged },
      task: task === undefined ? null : { id: task.id, status: task.status },
      step: task?.step ?? null,
      tokens,
      cost_usd: usd,
    });
  }

  async text(standing: Standing): Promise<string> {
    const { mode, next, doing, waiting } = standing;
    const model = this.#cli
      .query({ type: "setting.get", key: "llm.default_model" })
      .then(({ value }) => standing.model ?? (typeof value === "string" ? value : null));
    const branch = this.#cli.query({ type: "project.branch" }).then((found) => found.branch);
    const [named, spent, on] = await Promise.all([model, this.#spent(), branch]);
    const { tokens, usd } = spent;
    await this.#tell(standing, named, spent, on);
    const parts = [
      named ?? "no model chosen",
      tokens === 0 ? "" : `${short(tokens)} tokens`,
      usd === 0 ? "" : `$${usd.toFixed(4)}`,
      on === null ? "" : visibleLine(on),
      mode === "default" ? "" : mode,
      next === mode ? "" : `${next === "default" ? "asking" : next} from the next`,
      doing,
      waiting === 0 ? "" : `${waiting} waiting`,
    ].filter((part) => part !== "");
    const line = named === null ? parts.join(" · ") : fitted(parts, standing.columns);
    return this.#script.line === "" ? line : `${this.#script.line}\n${line}`;
  }
}
