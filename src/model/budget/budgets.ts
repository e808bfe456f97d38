/**
 * Budgets at every level, in tokens, money and (for subscriptions) requests (LLM-090, LLM-091,
 * MUL-003…010). A call is promised its estimate before it starts, may ask for more while it runs,
 * and is settled with what it really used. Money is counted in whole micro-dollars.
 */
import { newId, SylkError, type Clock, holders } from "../../kernel/index.ts";
import type { Counters, Journal, Work } from "../../journal/index.ts";
import type { ModelConfig, Subscription } from "../config.ts";
import type { BudgetLevel, CallFacts } from "../types.ts";
import { createMemoryCounters } from "../shared/memory-counters.ts";
import { reclaimDeadHolds, registerHold } from "./holds.ts";
import { periodAt } from "./periods.ts";
import { BudgetLease } from "./budget-lease.ts";

type Unit = "tokens" | "usd" | "requests";

export interface Spend {
  tokens: number;
  usd: number;
}

interface Line {
  level: BudgetLevel;
  unit: Unit;
  key: string;
  limit: number;
  warnAt: number;
}

interface Promised {
  line: Line;
  purse: BudgetLease;
  amount: number;
}

const MICRO = 1_000_000;
/** Purses kept open; the least recently used idle one is emptied and closed. */
const MAX_PURSES = 512;
/** How often a refusal makes us look for the holds of dead processes. */
const RECLAIM_EVERY_MS = 1000;

function amountIn(unit: Unit, spend: Spend): number {
  return unit === "tokens" ? Math.ceil(spend.tokens) : unit === "usd" ? Math.ceil(spend.usd * MICRO) : 1;
}

/** A call's claim on every budget that concerns it. */
export interface Reservation {
  /** Asks for more of everything; false when some budget has no more, which stops the call. */
  extend(more: Spend): Promise<SylkError | undefined>;
  settle(spent: Spend): Promise<void>;
}

export interface BudgetsOptions {
  config: ModelConfig;
  clock: Clock;
  /** Whose money a project's budget is. */
  project: string;
  /** The machine's; without it budgets are this process's own. */
  store: { journal: Journal; counters: Counters; work: Work } | undefined;
  subscriptionOf: (provider: string) => Subscription | null;
  onWarning: (warning: { level: BudgetLevel; unit: Unit; key: string; used: number; limit: number }) => void;
}

export class Budgets {
  readonly #options: BudgetsOptions;
  readonly #purses = new Map<string, BudgetLease>();
  readonly #holder: string;
  readonly #counters: Counters;
  #reclaiming: Promise<void> | undefined;
  #reclaimedAt = -Infinity;

  constructor(options: BudgetsOptions) {
    this.#options = options;
    this.#holder = newId("gate", options.clock.now());
    this.#counters = options.store?.counters ?? createMemoryCounters();
  }

  /** True when no budget concerns such a call: nothing is counted, nothing is written. */
  isFree(facts: CallFacts, provider: string): boolean {
    return this.#lines(facts, provider).length === 0;
  }

  #lines(facts: CallFacts, provider: string): Line[] {
    const { budgets } = this.#options.config;
    const now = this.#options.clock.now();
    const lines: Line[] = [];
    const add = (level: BudgetLevel, name: string, unit: Unit, limit: number | null, warnAt: number): void => {
      if (limit !== null && limit > 0)
        lines.push({
          level,
          unit,
          key: `budget/${level}/${name}/${unit}`,
          limit: unit === "usd" ? Math.round(limit * MICRO) : limit,
          warnAt,
        });
    };
    const both = (level: BudgetLevel, name: string, limits: { tokens: number | null; usd: number | null }): void => {
      add(level, name, "tokens", limits.tokens, budgets.warnAt);
      add(level, name, "usd", limits.usd, budgets.warnAt);
    };
    both("global", periodAt(budgets.global.period, now).name, budgets.global);
    both("day", periodAt("day", now).name, budgets.day);
    both("project", this.#options.project, budgets.project);
    const own = facts.sessionUsd;
    both("session", facts.session, {
      ...budgets.session,
      usd: own === undefined ? budgets.session.usd : Math.min(own, budgets.session.usd ?? own),
    });
    both("task", facts.task, budgets.task);
    both("agent", `${facts.session}/${facts.agent ?? facts.role}`, budgets.agent);
    const subscription = this.#options.subscriptionOf(provider);
    if (subscription !== null) {
      const name = `${provider}/${periodAt(subscription.period, now).name}`;
      add("provider", name, "tokens", subscription.maxTokens, subscription.warnAt);
      add("provider", name, "requests", subscription.maxRequests, subscription.warnAt);
    }
    return lines;
  }

  #purse(line: Line): BudgetLease {
    const known = this.#purses.get(line.key);
    if (known !== undefined) {
      this.#purses.delete(line.key);
      this.#purses.set(line.key, known);
      known.moveTo(line.limit);
      return known;
    }
    const journal = this.#options.store?.journal;
    const counters = this.#counters;
    const holdKey = `hold/${this.#holder}/${line.key}`;
    const purse = new BudgetLease({
      counters,
      key: line.key,
      holdKey,
      limit: line.limit,
      register: () => registerHold(journal, { holder: holders.ofProcess(), key: line.key, holdKey }),
    });
    this.#purses.set(line.key, purse);
    return purse;
  }

  /** All levels or none. The error names the level that has no more. */
  async reserve(facts: CallFacts, provider: string, estimate: Spend): Promise<Reservation | SylkError> {
    if (this.#reclaimedAt === -Infinity) await this.#reclaim();
    const first = await this.#reserveOnce(facts, provider, estimate);
    // Before anybody is refused: has a process died since that still holds a part?
    if (!(first instanceof SylkError) || !(await this.#reclaim())) return first;
    return this.#reserveOnce(facts, provider, estimate);
  }

  async #reserveOnce(facts: CallFacts, provider: string, estimate: Spend): Promise<Reservation | SylkError> {
    const promised: Promised[] = [];
    for (const line of this.#lines(facts, provider)) {
      const refused = await this.#promise(line, amountIn(line.unit, estimate), promised);
      if (refused === undefined) continue;
      await Promise.all(promised.map((one) => one.purse.settle(one.amount, 0)));
      return refused;
    }
    return {
      extend: (more) => this.#extend(promised, more),
      settle: (spent) => this.#settle(promised, spent),
    };
  }

  /** False when it was done a moment ago. */
  async #reclaim(): Promise<boolean> {
    const { store, clock } = this.#options;
    if (this.#reclaiming === undefined) {
      if (clock.monotonic() - this.#reclaimedAt < RECLAIM_EVERY_MS) return false;
      this.#reclaiming = reclaimDeadHolds(store, clock).finally(() => {
        this.#reclaimedAt = clock.monotonic();
        this.#reclaiming = undefined;
      });
    }
    await this.#reclaiming;
    return true;
  }

  async #promise(line: Line, amount: number, promised: Promised[]): Promise<SylkError | undefined> {
    const purse = this.#purse(line);
    if (await purse.promise(amount)) {
      promised.push({ line, purse, amount });
      return undefined;
    }
    return refusal(line, purse.used, amount);
  }

  async #extend(promised: Promised[], more: Spend): Promise<SylkError | undefined> {
    for (const one of promised) {
      if (one.line.unit === "requests") continue;
      const amount = amountIn(one.line.unit, more);
      if (!(await one.purse.promise(amount))) return refusal(one.line, one.purse.used, amount);
      one.amount += amount;
    }
    return undefined;
  }

  async #settle(promised: Promised[], spent: Spend): Promise<void> {
    await Promise.all(promised.map((one) => one.purse.settle(one.amount, amountIn(one.line.unit, spent))));
    for (const { line, purse } of promised) await this.#warn(line, purse);
    await this.#closeIdle();
  }

  /** Once per budget, for everybody: whoever gets the mark tells. */
  async #warn(line: Line, purse: BudgetLease): Promise<void> {
    if (purse.used < line.limit * line.warnAt) return;
    const mark = await this.#counters.take(`warned/${line.key}`, 1, 1);
    if (mark.ok) this.#options.onWarning({ level: line.level, unit: line.unit, key: line.key, used: purse.used, limit: line.limit });
  }

  async #closeIdle(): Promise<void> {
    if (this.#purses.size <= MAX_PURSES) return;
    for (const [key, purse] of this.#purses) {
      if (!purse.idle) continue;
      this.#purses.delete(key);
      await purse.empty();
      return;
    }
  }

  /** Gives back everything this process holds. */
  async close(): Promise<void> {
    await Promise.all([...this.#purses.values()].map((purse) => purse.empty()));
  }
}

const CODES: Record<BudgetLevel, SylkError["code"]> = {
  global: "MODEL_GLOBAL_BUDGET",
  day: "MODEL_DAY_BUDGET",
  project: "MODEL_PROJECT_BUDGET",
  session: "MODEL_SESSION_BUDGET",
  task: "MODEL_TASK_BUDGET",
  agent: "MODEL_AGENT_BUDGET",
  provider: "MODEL_PROVIDER_BUDGET",
};

function refusal(line: Line, used: number, amount: number): SylkError {
  const show = (value: number): string => (line.unit === "usd" ? `$${(value / MICRO).toFixed(4)}` : `${value} ${line.unit}`);
  return new SylkError({
    code: CODES[line.level],
    tier: "user_fixable",
    message: `the ${line.level} budget is used up: ${show(used)} of ${show(line.limit)} used, ${show(amount)} needed`,
    fix:
      line.level === "provider"
        ? "raise the provider's subscription limit, or wait for the next period"
        : `raise llm.budgets.${line.level}.${line.unit}`,
    details: { level: line.level, unit: line.unit, used, limit: line.limit, needed: amount },
  });
}
