/**
 * A piece of a step's input, with smaller versions of itself. Cutting is choosing a smaller
 * version; every cut is recorded with what it cost (CTX-014).
 */
import { countTokens } from "../../model/index.ts";
import { withoutHeadings } from "./quote.ts";
import type { Cut } from "../task-facts.ts";

export interface Variant {
  rule: string;
  text: () => string;
}

export interface Fragment {
  item: string;
  text: string;
  /** The lowest are cut first; the order of the list when absent. */
  worth?: number | undefined;
  /** Ever smaller versions. */
  variants: Variant[];
}

export interface FittedSection {
  name: string;
  texts: string[];
  tokens: number;
  cuts: Cut[];
}

/** Two line feeds between fragments. */
const JOIN_TOKENS = 1;

/**
 * Makes fragments fit. The first in the list are the first to be cut: each round takes one version
 * down over the list, until the sum fits or nothing smaller is left.
 */
export function fitSection(name: string, fragments: readonly Fragment[], room: number): FittedSection {
  const current = fragments.map((fragment) => {
    const text = withoutHeadings(fragment.text);
    return { fragment, text, tokens: countTokens(text) + JOIN_TOKENS, level: 0 };
  });
  const cuts: Cut[] = [];
  const total = (): number => current.reduce((sum, one) => sum + one.tokens, 0);
  const cutOrder = current
    .map((one, at) => ({ one, worth: one.fragment.worth ?? at }))
    .toSorted((a, b) => a.worth - b.worth)
    .map(({ one }) => one);
  const levels = Math.max(0, ...fragments.map((fragment) => fragment.variants.length));
  for (let level = 0; level < levels && total() > room; level += 1) {
    for (const one of cutOrder) {
      if (total() <= room) break;
      const variant = one.fragment.variants[level];
      if (variant === undefined) continue;
      const text = withoutHeadings(variant.text());
      const tokens = text === "" ? 0 : countTokens(text) + JOIN_TOKENS;
      if (tokens >= one.tokens) continue;
      cuts.push({ section: name, item: one.fragment.item, rule: variant.rule, before: one.tokens, after: tokens });
      one.text = text;
      one.tokens = tokens;
    }
  }
  return { name, texts: current.filter((one) => one.text !== "").map((one) => one.text), tokens: total(), cuts };
}
