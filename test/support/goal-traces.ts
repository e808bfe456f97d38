/**
 * Labelled traces for the goal monitor: stuck in each of the five ways, and healthy long runs. Made
 * from a seed, so that the set is the same every time and no two traces are alike.
 */
import type { MonitorInput } from "../../src/step/monitor/signals.ts";
import type { ActionRecord, StepRecord } from "../../src/step/task-state.ts";
import type { ImpasseType } from "../../src/step/task-facts.ts";

export interface Trace {
  label: ImpasseType | "HEALTHY";
  input: MonitorInput;
}

function random(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (state ^ (state << 13)) >>> 0;
    state = (state ^ (state >>> 17)) >>> 0;
    state = (state ^ (state << 5)) >>> 0;
    return state / 0xffffffff;
  };
}

const FILES = ["src/cart.ts", "src/price.ts", "lib/parse.py", "pkg/store/store.go", "src/main.rs", "app/models/order.rb", "README.md"];
const GOALS = [
  "add a discount to the cart total",
  "make the parser accept comments",
  "store orders with their tax",
  "show the price in euros",
  "retry failed uploads",
];

class Builder {
  readonly steps: StepRecord[] = [];
  readonly words: string[] = [];
  readonly #r: () => number;

  constructor(r: () => number) {
    this.#r = r;
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#r() * list.length)] as T;
  }

  chance(p: number): boolean {
    return this.#r() < p;
  }

  int(max: number): number {
    return Math.floor(this.#r() * max);
  }

  add(action: Partial<ActionRecord> & { action: string }, more: Partial<StepRecord> = {}): void {
    const step = this.steps.length + 1;
    const target = action.target ?? this.pick(FILES);
    const record: ActionRecord = {
      target,
      ok: true,
      outcome: "read",
      summary: "",
      signature: `${action.action}:${target}:${step}`,
      ...action,
    };
    this.steps.push({
      step,
      phase: "change",
      actions: [record],
      invalid: undefined,
      progress: false,
      failing: undefined,
      tokens: 3_000,
      ...more,
    });
  }

  /** Ordinary work: looking, changing, failing now and then, getting on. */
  healthy(count: number): void {
    let failing = 3 + this.int(4);
    for (let i = 0; i < count; i += 1) {
      const kind = this.int(10);
      if (kind < 3) this.add({ action: "read_file" });
      else if (kind === 3) this.add({ action: "search", target: `name${this.int(50)}`, outcome: this.chance(0.25) ? "nothing" : "found" });
      else if (kind === 4) this.add({ action: "edit_file", ok: false, outcome: "no_match" });
      else if (kind === 5) this.add({ action: "note_fact", target: "finding", outcome: "noted" });
      else {
        if (this.chance(0.5)) failing = Math.max(0, failing - 1);
        this.add(
          { action: "edit_file", outcome: "changed" },
          { progress: true, failing: Array.from({ length: failing }, (_v, n) => `sig${n}-${this.int(3)}`) },
        );
      }
      if (this.steps.length % 3 === 0 && !this.steps.slice(-3).some((one) => one.progress))
        this.add({ action: "edit_file", outcome: "changed" }, { progress: true, failing: [`sig${this.int(9)}`] });
      if (this.chance(0.3))
        this.words.push(
          this.pick([
            "Now the tests.",
            "The function lives here.",
            "This needs the tax as well.",
            "Next, the caller.",
            "I will look at the failing check.",
          ]),
        );
    }
  }

  done(more: Partial<MonitorInput> = {}): MonitorInput {
    return {
      goal: this.pick(GOALS),
      criteria: ["the total includes the discount", "existing tests pass"],
      constraints: ["do not change the public interface"],
      steps: this.steps.slice(-64),
      limit: 200,
      step: this.steps.length,
      question: undefined,
      code: undefined,
      words: this.words.slice(-8),
      changedFiles: ["src/cart.ts"],
      checks: [
        { name: "test", passed: false },
        { name: "lint", passed: true },
      ],
      ...more,
    };
  }
}

function stuck(label: ImpasseType, seed: number): Trace {
  const b = new Builder(random(seed));
  b.healthy(2 + b.int(20));
  const variant = seed % 3;
  switch (label) {
    case "KNOWLEDGE_GAP": {
      for (let i = 0; i < 4 + b.int(3); i += 1)
        b.add({
          action: b.pick(["search", "read_file"]),
          target: `unknown${i}`,
          outcome: b.pick(["nothing", "not_found"]),
          ok: b.chance(0.5),
        });
      if (variant === 1) b.words.push("I cannot find where the rate comes from.", "There is no documentation of this service.");
      return { label, input: b.done() };
    }
    case "CONSTRAINT_CONFLICT": {
      if (variant === 0) {
        const [a, c] = b.pick([
          ["the file must be sorted by name", "the file must not be sorted by name"],
          ["log every request body", "never log a request body"],
          ["answer in at most 2 seconds", "wait at least 5 seconds before answering"],
        ]);
        const more =
          a?.startsWith("answer") === true
            ? { criteria: ["the pause is at most 2 seconds", "the pause is at least 5 seconds"] }
            : { criteria: [a], constraints: [c] };
        return { label, input: b.done(more) };
      }
      for (let i = 0; i < 4 + 2 * b.int(2); i += 1)
        b.add(
          { action: "edit_file", outcome: "changed", target: b.pick(FILES) },
          { failing: [i % 2 === 0 ? "formatter" : "types"], progress: false },
        );
      return { label, input: b.done() };
    }
    case "RESOURCE_EXHAUSTED": {
      if (variant === 0) return { label, input: b.done({ limit: b.steps.length }) };
      if (variant === 1) return { label, input: b.done({ code: b.pick(["MODEL_BUDGET", "DEADLINE_PASSED", "QUOTA_REACHED"]) }) };
      for (let i = 0; i < 3; i += 1)
        b.steps.push({
          step: b.steps.length + 1,
          phase: "change",
          actions: [],
          invalid: "the answer holds no action",
          progress: false,
          failing: undefined,
          tokens: 3_000,
        });
      return { label, input: b.done() };
    }
    case "CIRCULAR_DEPENDENCY": {
      const period = 1 + (seed % 4);
      const cycle = Array.from({ length: period }, (_v, i) => ({
        action: b.pick(["read_file", "edit_file", "run_command"]),
        target: `place${i}`,
        ok: period > 1 && i > 0,
        outcome: i === 0 ? "no_match" : "read",
        signature: `cycle${i}`,
      }));
      for (let round = 0; round < 3; round += 1) for (const one of cycle) b.add(one);
      return { label, input: b.done() };
    }
    case "AMBIGUITY": {
      if (variant === 0) return { label, input: b.done({ question: "Should the discount come before or after tax?" }) };
      b.add({ action: "read_file" });
      b.add({ action: "read_file" });
      b.add({ action: "note_fact", target: "reading", outcome: "noted" });
      b.words.push("It is unclear whether the discount comes before tax.", "This could mean the net or the gross price.");
      return { label, input: b.done() };
    }
  }
}

export function labelledTraces(perType: number, healthy: number): Trace[] {
  const types: ImpasseType[] = ["KNOWLEDGE_GAP", "CONSTRAINT_CONFLICT", "RESOURCE_EXHAUSTED", "CIRCULAR_DEPENDENCY", "AMBIGUITY"];
  const traces = types.flatMap((label, t) => Array.from({ length: perType }, (_v, i) => stuck(label, 1 + i + t * 1_000)));
  for (let i = 0; i < healthy; i += 1) {
    const b = new Builder(random(50_000 + i));
    b.healthy(5 + b.int(60));
    traces.push({ label: "HEALTHY", input: b.done() });
  }
  return traces;
}
