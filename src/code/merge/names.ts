/** The names of a merged text: none is lost, revived or bound twice, and none is used whose binding the other side took away. */
import { tokensOf, type MergeTexts } from "./tokens.ts";
import type { Container, Item } from "./structure.ts";

type Counts = ReadonlyMap<string, number>;

interface Names {
  /** How often an item of this name stands in the list. */
  listed: Counts;
  /** How often a name is bound in it. */
  bound: Counts;
}

const NO_NAMES: Names = { listed: new Map(), bound: new Map() };

const countUp = (counts: Map<string, number>, name: string): void => {
  counts.set(name, (counts.get(name) ?? 0) + 1);
};

/** The names of each list, by the path of the lists it stands in. */
function namesIn(container: Container): Map<string, Names> {
  const lists = new Map<string, Names>();
  const visit = (list: Container, at: string): void => {
    const listed = new Map<string, number>();
    const bound = new Map<string, number>();
    lists.set(at, { listed, bound });
    const seen = (item: Item): boolean =>
      item.named || item.declares !== item.key || (item.independent && !/^(?:section|use_declaration)$/u.test(item.kind)) || list.sortable;
    const among = Map.groupBy(list.items, (item) => item.kind);
    const ordinals = new Map<string, number>();
    for (const item of list.items) {
      countUp(ordinals, item.kind);
      // Nameless items are only compared where none of them came or went.
      const name =
        item.named || item.independent
          ? item.declares
          : `${item.kind}:${ordinals.get(item.kind) ?? 0}/${among.get(item.kind)?.length ?? 0}`;
      if (seen(item)) countUp(listed, item.declares);
      for (const one of item.binds) countUp(bound, one);
      for (const [i, part] of item.parts.entries()) if (part.kind === "container") visit(part.container, `${at}/${name}#${i}`);
    }
  };
  visit(container, "");
  return lists;
}

/** What one side deleted stays deleted, what one side added is there. */
function kept(result: Counts, base: Counts, ours: Counts, theirs: Counts): boolean {
  for (const name of new Set([...result.keys(), ...base.keys(), ...ours.keys(), ...theirs.keys()])) {
    const [r, b, o, t] = [result.get(name) ?? 0, base.get(name) ?? 0, ours.get(name) ?? 0, theirs.get(name) ?? 0];
    if (b > 0 && (o === 0 || t === 0) && r > 0) return false;
    if (r === 0 && ((b === 0 && o + t > 0) || (b > 0 && o > 0 && t > 0))) return false;
  }
  return true;
}

/** Nothing is there more often than in any of the sources. */
function once(result: Counts, ...sources: readonly Counts[]): boolean {
  return [...result].every(([name, count]) => count <= Math.max(1, ...sources.map((source) => source.get(name) ?? 0)));
}

export interface MergedContainers {
  result: Container;
  base: Container;
  ours: Container;
  theirs: Container;
}

export function namesHold(containers: MergedContainers): boolean {
  const [base, ours, theirs] = [containers.base, containers.ours, containers.theirs].map(namesIn) as [
    ReturnType<typeof namesIn>,
    ReturnType<typeof namesIn>,
    ReturnType<typeof namesIn>,
  ];
  for (const [at, names] of namesIn(containers.result)) {
    const [b, o, t] = [base.get(at), ours.get(at), theirs.get(at)];
    const sources = [b ?? NO_NAMES, o ?? NO_NAMES, t ?? NO_NAMES];
    if (!once(names.bound, ...sources.map((source) => source.bound))) return false;
    if (!once(names.listed, ...sources.map((source) => source.listed))) return false;
    if (b !== undefined && o !== undefined && t !== undefined && !kept(names.listed, b.listed, o.listed, t.listed)) return false;
  }
  return true;
}

const boundAtTop = (container: Container): Set<string> =>
  new Set(container.items.flatMap((item) => item.binds.map((name) => name.slice(name.indexOf(":") + 1))));

/** A name whose binding one side took away and that the other side uses more often than before. */
export function strandedName(texts: MergeTexts, containers: MergedContainers): string | undefined {
  const still = boundAtTop(containers.result);
  const gone = [...boundAtTop(containers.base)].filter((name) => !still.has(name));
  if (gone.length === 0) return undefined;
  const uses = (text: string): Counts => {
    const counts = new Map<string, number>();
    for (const token of tokensOf(texts.path, text).text) countUp(counts, token);
    return counts;
  };
  const base = uses(texts.base);
  const more = (side: Counts, name: string): boolean => (side.get(name) ?? 0) > (base.get(name) ?? 0);
  const [ours, theirs] = [uses(texts.ours), uses(texts.theirs)];
  return gone.find((name) => more(ours, name) || more(theirs, name));
}
