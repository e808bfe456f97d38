import type { Claim, Store, Work } from "../../src/journal/index.ts";

/**
 * The store as a worker on another machine uses it: whether its process lives cannot be seen from here, so only its
 * lease counts. `leaseMs` shortens what it asks for.
 */
export function elsewhere(store: Store, leaseMs?: number): Store {
  const { work } = store;
  const holder = (here: string): string => `another-machine:${here.split(":").slice(1).join(":")}`;
  const claim = (key: string, here: string, ms: number): Promise<Claim | undefined> => work.claim(key, holder(here), leaseMs ?? ms);
  const claimNext: Work["claimNext"] = (kinds, here, ms) => work.claimNext(kinds, holder(here), leaseMs ?? ms);
  return {
    ...store,
    work: {
      claim,
      claimNext,
      offer: (items) => work.offer(items),
      renew: (claims) => work.renew(claims),
      settle: (one, wake) => work.settle(one, wake),
      finish: (one, stream, seq, events) => work.finish(one, stream, seq, events),
      holder: (key) => work.holder(key),
    },
  };
}
