/** The store as one life sees it: every call is a step of the timeline, and any of them may go wrong. */
import { SylkError } from "../../src/kernel/index.ts";
import type { Claim, EventFilter, Journal, Store, Work } from "../../src/journal/index.ts";
import type { JournalEvent } from "../../src/protocol/events/index.ts";
import type { Random } from "../fuzz/random.ts";
import type { Faults } from "./scenario.ts";
import type { Life, Timeline } from "./timeline.ts";
import type { Witness } from "./witness.ts";

export interface Ground {
  journal: Journal;
  work: Work;
}

/** What may go wrong with a call of the store. */
export type StoreFaults = Pick<Faults, "crash" | "refuse" | "lostReply" | "slow" | "pause">;

export interface Fate {
  timeline: Timeline;
  witness: Witness;
  random: Random;
  faults(): StoreFaults;
  isFull(): boolean;
  kill(life: Life): void;
  pause(life: Life): void;
  /** Told what was committed, so that whoever listens hears of it. */
  heard(events: readonly JournalEvent[]): void;
  listen(life: Life, filter: EventFilter): ReturnType<Journal["subscribe"]>;
}

const SLOW_MS = 400;
const trouble = (code: SylkError["code"]): SylkError =>
  new SylkError({ code, tier: "transient", message: `${code}: as the simulation wills` });

export function storeOf(life: Life, store: Store, fate: Fate): Ground {
  const { timeline, witness, random } = fate;
  const chance = (kind: keyof StoreFaults): boolean => {
    const rate = fate.faults()[kind];
    return rate > 0 && random() < rate;
  };

  /** Whatever was written since is shown to the witness, and to who listens. */
  let looking = Promise.resolve();
  const look = (): Promise<void> =>
    (looking = looking.then(async () => {
      if ((await store.journal.headPosition()) === witness.position) return;
      const events = await store.journal.readAll({ after: witness.position, limit: 100 });
      witness.committed(life, events);
      fate.heard(events);
    }));

  function call<T>(what: string, writes: boolean, work: () => Promise<T>, told: (value: T) => void = () => undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const answer = (later: () => void): void => {
        if (!life.alive) return;
        if (chance("slow")) timeline.add(life, `${what}: slow answer`, random() * SLOW_MS, later);
        else if (random() < 0.3) timeline.add(life, `${what}: answer`, 0, later);
        else later();
      };
      const begin = async (): Promise<void> => {
        if (chance("crash")) return fate.kill(life);
        if (chance("refuse")) return answer(() => reject(trouble("STORE_IO")));
        if (writes && fate.isFull()) return answer(() => reject(trouble("STORE_FULL")));
        let outcome: () => void;
        try {
          const value = await work();
          if (writes) await look();
          told(value);
          outcome = () => resolve(value);
        } catch (error) {
          outcome = () => reject(error);
        }
        if (chance("crash")) return fate.kill(life);
        if (chance("pause")) fate.pause(life);
        if (chance("lostReply")) return answer(() => reject(trouble("STORE_IO")));
        answer(outcome);
      };
      timeline.add(life, what, 0, async () => {
        // What was asked for at once may share a transaction.
        const others = writes && random() < 0.3 ? timeline.take(life, (other) => other.startsWith("write ")) : [];
        await Promise.all([begin(), ...others.map((run) => run())]);
      });
    });
  }
  const read = <T>(what: string, work: () => Promise<T>): Promise<T> => call(`read ${what}`, false, work);
  const write = <T>(what: string, work: () => Promise<T>, told?: (value: T) => void): Promise<T> => call(`write ${what}`, true, work, told);

  const { journal, work } = store;
  const claimed = (claim: Claim | undefined): void => {
    if (claim !== undefined) witness.claimed(life, claim);
  };
  return {
    journal: {
      append: async (stream, seq, events, fence) => {
        const what = `append ${stream} ${events.map(({ type }) => type).join(" ")}`;
        return acknowledged(
          witness,
          write(what, () => journal.append(stream, seq, events, fence)),
        );
      },
      appendSoon: async (stream, events) =>
        acknowledged(
          witness,
          write(`append ${stream}`, () => journal.appendSoon(stream, events)),
        ),
      read: (stream, options) => read(`stream ${stream}`, () => journal.read(stream, options)),
      find: (id, options) => read(`event ${id}`, () => journal.find(id, options)),
      readAll: (options) => read("all", () => journal.readAll(options)),
      head: (stream) => read(`head ${stream}`, () => journal.head(stream)),
      headPosition: () => read("position", () => journal.headPosition()),
      subscribe: (filter) => fate.listen(life, filter),
      get: (view, key) => read(`${view.name} ${key}`, () => journal.get(view, key)),
      list: (view, options) => read(`${view.name}s`, () => journal.list(view, options)),
      count: (view, prefix) => read(`${view.name} count`, () => journal.count(view, prefix)),
      keys: (view, prefix) => read(`${view.name} keys`, () => journal.keys(view, prefix)),
    },
    work: {
      claim: (key, _holder, leaseMs) => write(`claim ${key}`, () => work.claim(key, life.holder, leaseMs), claimed),
      claimNext: (kinds, _holder, leaseMs) => write("claim next", () => work.claimNext(kinds, life.holder, leaseMs), claimed),
      offer: (items) => write(`offer ${items.map(({ key }) => key).join(" ")}`, () => work.offer(items)),
      renew: (claims) =>
        write(
          `renew ${claims.map(({ key }) => key).join(" ")}`,
          () => work.renew(claims),
          (lost) => {
            for (const claim of claims) if (!lost.includes(claim.key)) witness.renewed(life, claim);
          },
        ),
      settle: (claim, wake) =>
        write(
          `settle ${claim.key}`,
          () => work.settle(claim, wake),
          (mine) => {
            if (mine) witness.released(life, claim);
          },
        ),
      finish: (claim, stream, seq, events) =>
        write(
          `finish ${stream}`,
          () => work.finish(claim, stream, seq, events),
          (mine) => {
            if (mine) witness.released(life, claim);
          },
        ),
      holder: (key) => read(`holder ${key}`, () => work.holder(key)),
    },
  };
}

async function acknowledged(witness: Witness, writing: Promise<JournalEvent[]>): Promise<JournalEvent[]> {
  const events = await writing;
  witness.acknowledged(events);
  return events;
}
