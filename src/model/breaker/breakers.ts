/**
 * The breakers of all providers and models, shared by every process through the machine's journal.
 * A healthy call costs no write: successes are counted here and ride along with the next failure.
 */
import { SylkError, isoTime, type Clock } from "../../kernel/index.ts";
import type { Journal } from "../../journal/index.ts";
import { defineRegister, SharedRegister } from "../shared/shared-register.ts";
import { admission, claimProbe, CLOSED, recordResult, releaseProbe, type BreakerConfig, type BreakerRecord } from "./breaker-state.ts";
import { EVENTS } from "../../protocol/events/index.ts";

export const breakerRegister = defineRegister("breaker", EVENTS.register.breaker, CLOSED);

/** `llm:<provider>` for reaching it at all, `llm:<provider>/<model>` for its answers. */
function breakerIds(target: { provider: string; model: string }): [provider: string, model: string] {
  return [`llm:${target.provider}`, `llm:${target.provider}/${target.model}`];
}

const NETWORK_CODES = new Set(["MODEL_UNREACHABLE", "MODEL_NETWORK"]);

/** ERR-037: only failures of the resource count. */
function countsAsFailure(error: SylkError): boolean {
  return error.tier === "transient" || error.tier === "external_degrading";
}

/** What one attempt may do, and how it must report back. */
export interface Permit {
  succeeded(): Promise<void>;
  failed(error: SylkError): Promise<void>;
  /** Cancelled or preempted: no verdict. */
  dropped(): Promise<void>;
}

interface Local {
  register: SharedRegister<BreakerRecord>;
  successes: number;
}

export interface BreakersOptions {
  config: BreakerConfig;
  clock: Clock;
  journal: Journal | undefined;
  /** Names this gate among all processes. */
  owner: string;
  onChange: (id: string, before: BreakerRecord, after: BreakerRecord) => void;
}

export class Breakers {
  readonly #options: BreakersOptions;
  readonly #local = new Map<string, Local>();
  #probes = 0;

  constructor(options: BreakersOptions) {
    this.#options = options;
  }

  #of(id: string): Local {
    let local = this.#local.get(id);
    if (local === undefined)
      this.#local.set(
        id,
        (local = { register: new SharedRegister(breakerRegister, id, this.#options.journal, this.#options.clock), successes: 0 }),
      );
    return local;
  }

  /** A permit, or the error to fail fast with. */
  async admit(target: { provider: string; model: string }): Promise<Permit | SylkError> {
    const owner = `${this.#options.owner}#${(this.#probes += 1)}`;
    const claimed: string[] = [];
    for (const id of breakerIds(target)) {
      const denied = await this.#admitOne(id, owner, claimed);
      if (denied === undefined) continue;
      for (const other of claimed) await this.#change(other, (record) => releaseProbe(record, owner));
      return denied;
    }
    return {
      succeeded: () => this.#report(breakerIds(target), owner, undefined),
      failed: (error) => this.#report(breakerIds(target), owner, error),
      dropped: () => this.#release(claimed, owner),
    };
  }

  async #admitOne(id: string, owner: string, claimed: string[]): Promise<SylkError | undefined> {
    const { clock, config } = this.#options;
    const { register } = this.#of(id);
    // Trouble is rare and moves fast: look at the store itself then.
    const record = await (register.current.state === "closed" ? register.refresh() : register.refresh(0));
    let verdict = admission(record, config, clock.now());
    if (verdict.kind === "probe") {
      const { after } = await this.#change(id, (record) => claimProbe(record, config, owner, clock.now()));
      if (after.probe_owner === owner) {
        claimed.push(id);
        return undefined;
      }
      verdict = admission(after, config, clock.now());
    }
    if (verdict.kind === "allow") return undefined;
    const until = verdict.kind === "deny" ? verdict.untilMs : clock.now();
    return new SylkError({
      code: "MODEL_BREAKER_OPEN",
      tier: "external_degrading",
      message: `${id.slice("llm:".length)} failed repeatedly and is not asked again before ${isoTime(until)}`,
      fix: "wait, choose another model, or reset it with `sylk models reset`",
      details: { resource: id, retryAfterMs: Math.max(0, until - clock.now()) },
    });
  }

  async #report(ids: [string, string], owner: string, error: SylkError | undefined): Promise<void> {
    if (error !== undefined && !countsAsFailure(error)) return this.#release(ids, owner);
    const network = error !== undefined && NETWORK_CODES.has(error.code);
    await this.#result(ids[0], owner, !network);
    // An endpoint that cannot be reached says nothing about the model behind it.
    if (network) await this.#release([ids[1]], owner);
    else await this.#result(ids[1], owner, error === undefined);
  }

  async #result(id: string, owner: string, ok: boolean): Promise<void> {
    const local = this.#of(id);
    const { state, failures } = local.register.current;
    if (ok && state === "closed" && failures === 0) {
      local.successes += 1;
      return;
    }
    const successesBefore = local.successes;
    local.successes = 0;
    await this.#change(id, (record) =>
      recordResult(record, this.#options.config, { ok, successesBefore, owner, now: this.#options.clock.now() }),
    );
  }

  async #release(ids: readonly string[], owner: string): Promise<void> {
    for (const id of ids)
      if (this.#of(id).register.current.probe_owner === owner) await this.#change(id, (record) => releaseProbe(record, owner));
  }

  async #change(id: string, change: (record: BreakerRecord) => BreakerRecord): Promise<{ before: BreakerRecord; after: BreakerRecord }> {
    const changed = await this.#of(id).register.update(change);
    if (changed.before.state !== changed.after.state) this.#options.onChange(id, changed.before, changed.after);
    return changed;
  }

  /** ERR-036: closed, empty window, whatever it was; for everybody. */
  async reset(id: string): Promise<void> {
    const { clock } = this.#options;
    this.#of(id).successes = 0;
    await this.#change(id, () => ({ ...CLOSED, last_state_change: clock.now() }));
  }

  /** Ids that are not closed, as this process knows them. */
  async tripped(): Promise<{ id: string; record: BreakerRecord }[]> {
    const { journal } = this.#options;
    const all =
      journal === undefined
        ? [...this.#local].map(([key, local]) => ({ key, state: { state: local.register.current } }))
        : await journal.list(breakerRegister.view);
    return all.filter((row) => row.state.state.state !== "closed").map((row) => ({ id: row.key, record: row.state.state }));
  }
}
