/** What a request may cost: what it is now, and more of it by the user's word. */
import type { Run } from "../journal/index.ts";
import { EVENTS, STREAMS, SYSTEM } from "../protocol/events/index.ts";
import type { FlowParts } from "./parts.ts";
import { requestView, type RequestState } from "./request-state.ts";

const BY = { actor: SYSTEM.engine };

/** The choice that lets it cost more; an amount alone is enough to make it. */
export const RAISE = {
  value: "raise" as const,
  label: "allow more",
  hint: "how many dollars more, e.g. raise 5",
  words: "amount" as const,
};

export async function budgetOf({ store }: Pick<FlowParts, "store">, request: string): Promise<number | undefined> {
  return (await store.journal.get(requestView, STREAMS.request(request)))?.created.budget_usd;
}

const raised = (budgetUsd: number | undefined, words: string) =>
  EVENTS.request.budgetRaised.create({ usd: (budgetUsd ?? 0) + Number(words) }, BY);

/** By an answer to one of its pieces. */
export async function raiseBudget(parts: Pick<FlowParts, "store">, request: string, words: string): Promise<void> {
  await parts.store.journal.append(STREAMS.request(request), "any", [raised(await budgetOf(parts, request), words)]);
}

/** By an answer to the request itself. */
export async function raiseOwn(run: Run<RequestState>, words: string): Promise<void> {
  await run.append(raised(run.state.created.budget_usd, words));
}
