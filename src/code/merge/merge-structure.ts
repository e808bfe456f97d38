/**
 * Three-way merge of structured texts. `theirs` is what is already there (the user's tree), `ours`
 * the change to bring in. Anything that cannot be decided from structure alone is a conflict; the
 * merge guesses at nothing.
 */
import { must } from "../../kernel/index.ts";
import { align, keepsOrder, type Alignment } from "./align.ts";
import { sameTokens } from "./tokens.ts";
import { bodyOf, renderContainer, squeeze, type Container, type Item, type Part } from "./structure.ts";

export interface StructureConflict {
  /** What is in dispute, e.g. `function_declaration:add`. */
  where: string;
  reason: "both_changed" | "changed_and_deleted" | "both_added" | "both_added_here" | "both_reordered";
  base: string;
  ours: string;
  theirs: string;
}

interface Merging {
  conflicts: StructureConflict[];
  /** Decides how tokens are read. */
  file: string;
  /** Indentation carries meaning. */
  indented: boolean;
}

const IMPORT = /^(?:import_|use_declaration|package_)/u;

const whole = (item: Item): string => item.lead + bodyOf(item) + item.trail;
/** White space around it apart, the item with its notes and attributes is the same. */
const sameText = (a: Item, b: Item): boolean =>
  bodyOf(a) === bodyOf(b) && squeeze(a.lead) === squeeze(b.lead) && squeeze(a.trail) === squeeze(b.trail);

function indentOf(text: string): string {
  return text.slice(text.lastIndexOf("\n") + 1);
}

/** Text around items: a change of one side wins; white space alone is never worth a conflict, unless it means something. */
function mergeText(base: string, ours: string, theirs: string, state: Merging): string | undefined {
  if (ours === theirs || theirs === base) return ours;
  if (ours === base) return theirs;
  if (squeeze(ours) === squeeze(theirs) && !(state.indented && indentOf(ours) !== indentOf(theirs))) return theirs;
  if (squeeze(ours) === squeeze(base) && !(state.indented && indentOf(ours) !== indentOf(base))) return theirs;
  if (squeeze(theirs) === squeeze(base) && !(state.indented && indentOf(theirs) !== indentOf(base))) return ours;
  return undefined;
}

function conflict(state: Merging, entry: StructureConflict): undefined {
  state.conflicts.push(entry);
  return undefined;
}

function mergeParts(base: readonly Part[], ours: readonly Part[], theirs: readonly Part[], state: Merging): Part[] | undefined {
  if (base.length !== ours.length || base.length !== theirs.length) return undefined;
  const merged: Part[] = [];
  for (const [i, b] of base.entries()) {
    const o = must(ours[i]);
    const t = must(theirs[i]);
    if (b.kind === "text" && o.kind === "text" && t.kind === "text") {
      const text = o.text === t.text || t.text === b.text ? o.text : o.text === b.text ? t.text : undefined;
      if (text === undefined) return undefined;
      merged.push({ kind: "text", text });
    } else if (
      b.kind === "container" &&
      o.kind === "container" &&
      t.kind === "container" &&
      b.container.kind === o.container.kind &&
      b.container.kind === t.container.kind
    ) {
      merged.push({ kind: "container", container: mergeContainers(b.container, o.container, t.container, state) });
    } else return undefined;
  }
  return merged;
}

function mergeItem(base: Item, ours: Item, theirs: Item, state: Merging): Item {
  const disputed = (): undefined =>
    conflict(state, { where: base.key.slice(0, 120), reason: "both_changed", base: whole(base), ours: whole(ours), theirs: whole(theirs) });
  const lead = mergeText(base.lead, ours.lead, theirs.lead, state);
  const trail = mergeText(base.trail, ours.trail, theirs.trail, state);
  if (lead === undefined || trail === undefined) disputed();
  const body = bodyOf(base);
  const chosen = bodyOf(ours) === bodyOf(theirs) || bodyOf(theirs) === body ? ours : bodyOf(ours) === body ? theirs : undefined;
  const before = state.conflicts.length;
  const parts = chosen?.parts ?? mergeParts(base.parts, ours.parts, theirs.parts, state);
  if (parts === undefined && state.conflicts.length === before) disputed();
  return {
    ...theirs,
    key: chosen?.key ?? theirs.key,
    parts: parts ?? theirs.parts,
    lead: lead ?? theirs.lead,
    trail: trail ?? theirs.trail,
  };
}

/** New items of one side, by the base item they follow (-1: the start). */
function additions(side: Container, aligned: Alignment): Map<number, Item[]> {
  const found = new Map<number, Item[]>();
  let anchor = -1;
  for (const [j, item] of side.items.entries()) {
    const from = aligned.from[j];
    if (from !== undefined) anchor = from;
    else found.set(anchor, [...(found.get(anchor) ?? []), item]);
  }
  return found;
}

/** Both sides added the same name: equal is one addition; lists under equal frames are joined. */
function joinAdded(ours: Item, theirs: Item, state: Merging): Item | undefined {
  if (sameText(ours, theirs) || sameTokens(state.file, whole(ours), whole(theirs))) return theirs;
  const skeleton: Part[] = ours.parts.map((part) =>
    part.kind === "text" ? part : { kind: "container", container: { ...part.container, items: [] } },
  );
  const joinable =
    ours.parts.some((part) => part.kind === "container") &&
    ours.parts.every((part) => part.kind === "text" || (part.container.commutes && part.container.sortable));
  const scratch: Merging = { ...state, conflicts: [] };
  const parts = joinable ? mergeParts(skeleton, ours.parts, theirs.parts, scratch) : undefined;
  return parts === undefined || scratch.conflicts.length > 0 ? undefined : { ...theirs, parts };
}

/** What to put after one base item when both sides added something there. */
function mergeAdded(ours: readonly Item[], theirs: readonly Item[], list: Container, state: Merging, swap: boolean): Item[] {
  const taken = new Set<Item>();
  const result: Item[] = [];
  for (const item of theirs) {
    const twin = ours.find((other) => !taken.has(other) && (other.key === item.key || sameText(other, item)));
    if (twin === undefined) {
      result.push(item);
      continue;
    }
    taken.add(twin);
    const joined = joinAdded(twin, item, state);
    if (joined === undefined)
      conflict(state, { where: item.key.slice(0, 120), reason: "both_added", base: "", ours: whole(twin), theirs: whole(item) });
    result.push(joined ?? item);
  }
  const rest = ours.filter((item) => !taken.has(item));
  const theirRest = result.length - taken.size;
  const acting = rest.some((item) => item.acts) && theirs.some((item) => item.acts);
  const free = !acting && (list.commutes || [...rest, ...theirs].every((item) => item.independent));
  if (rest.length > 0 && theirRest > 0 && !free) {
    conflict(state, {
      where: list.kind,
      reason: "both_added_here",
      base: "",
      ours: rest.map(whole).join(""),
      theirs: theirs.map(whole).join(""),
    });
  }
  const all = swap ? [...rest, ...result] : [...result, ...rest];
  // Imports go first, whoever added them.
  return [...all.filter((item) => IMPORT.test(item.kind)), ...all.filter((item) => !IMPORT.test(item.kind))];
}

/** A name added by both sides at different places is still one name. */
function dropTwins(ours: Map<number, Item[]>, theirs: Map<number, Item[]>, list: Container, state: Merging): void {
  const unique = (item: Item): boolean => item.named || item.independent || list.sortable;
  const named = new Map(
    [...theirs].flatMap(([anchor, items]) => items.filter(unique).map((item) => [item.key, { anchor, item }] as const)),
  );
  for (const [anchor, items] of ours) {
    const kept = items.filter((item) => {
      const twin = named.get(item.key);
      if (twin === undefined || twin.anchor === anchor) return true;
      const joined = joinAdded(item, twin.item, state);
      if (joined === undefined) {
        conflict(state, { where: item.key.slice(0, 120), reason: "both_added", base: "", ours: whole(item), theirs: whole(twin.item) });
        return false;
      }
      twin.item.parts = joined.parts;
      return false;
    });
    ours.set(anchor, kept);
  }
}

function baseOrder(
  base: Container,
  ours: Alignment,
  theirs: Alignment,
  state: Merging,
  lists: { ours: Container; theirs: Container },
): number[] {
  const natural = base.items.map((_, i) => i);
  const sorted = (aligned: Alignment): number[] => aligned.from.filter((i) => i !== undefined);
  const oursKeeps = keepsOrder(ours.of);
  const theirsKeeps = keepsOrder(theirs.of);
  if (oursKeeps && theirsKeeps) return natural;
  const moved = oursKeeps ? sorted(theirs) : sorted(ours);
  const differently = !oursKeeps && !theirsKeeps && sorted(ours).join() !== sorted(theirs).join();
  // In a sequence, a new order is about all of its items: nothing may come or go meanwhile.
  const other = oursKeeps ? ours : theirs;
  const still = other.of.every((j) => j !== undefined) && other.from.every((i) => i !== undefined);
  if (differently || (lists.theirs.separator !== undefined && !lists.theirs.commutes && !still)) {
    conflict(state, {
      where: base.kind,
      reason: "both_reordered",
      base: renderContainer(base),
      ours: renderContainer(lists.ours),
      theirs: renderContainer(lists.theirs),
    });
  }
  return [...moved, ...natural.filter((i) => !moved.includes(i))];
}

function isSorted(items: readonly Item[]): boolean {
  return items.every((item, i) => i === 0 || sortKey(must(items[i - 1])) <= sortKey(item));
}

const sortKey = (item: Item): string =>
  squeeze(bodyOf(item))
    .replace(/^["']|["'].*$/gu, "")
    .toLowerCase();

function survivor(
  i: number,
  base: Container,
  ours: Container,
  theirs: Container,
  o: number | undefined,
  t: number | undefined,
  state: Merging,
): Item | undefined {
  const b = must(base.items[i]);
  const mine = o === undefined ? undefined : must(ours.items[o]);
  const other = t === undefined ? undefined : must(theirs.items[t]);
  if (mine !== undefined && other !== undefined) return mergeItem(b, mine, other, state);
  const left = mine ?? other;
  if (left === undefined || sameText(left, b)) return undefined;
  return conflict(state, {
    where: b.key.slice(0, 120),
    reason: "changed_and_deleted",
    base: whole(b),
    ours: mine === undefined ? "" : whole(mine),
    theirs: other === undefined ? "" : whole(other),
  });
}

function mergeContainers(base: Container, ours: Container, theirs: Container, state: Merging): Container {
  const toOurs = align(base.items, ours.items);
  const toTheirs = align(base.items, theirs.items);
  if (toOurs === undefined || toTheirs === undefined) {
    conflict(state, {
      where: base.kind,
      reason: "both_changed",
      base: renderContainer(base),
      ours: renderContainer(ours),
      theirs: renderContainer(theirs),
    });
    return theirs;
  }
  const oursAdded = additions(ours, toOurs);
  const theirsAdded = additions(theirs, toTheirs);
  const list: Container = { ...theirs, commutes: base.commutes && ours.commutes && theirs.commutes };
  dropTwins(oursAdded, theirsAdded, list, state);
  const items: Item[] = [];
  const addAfter = (i: number): void => {
    const mine = oursAdded.get(i) ?? [];
    const others = theirsAdded.get(i) ?? [];
    const gone = (at: number, aligned: Alignment): boolean => at >= 0 && at < base.items.length && aligned.of[at] === undefined;
    // What one side put in place of items, the other side deleted or replaced as well.
    const fate = (added: readonly Item[], own: Alignment, other: Alignment): Item | undefined => {
      for (let at = i + 1; added.length > 0 && gone(at, own); at += 1) {
        const lost = must(base.items[at]);
        if (gone(at, other) && !(IMPORT.test(lost.kind) && added.every((item) => IMPORT.test(item.kind)))) return lost;
      }
      return undefined;
    };
    const same = mine.map(whole).join("") === others.map(whole).join("");
    const replaced = same ? undefined : (fate(mine, toOurs, toTheirs) ?? fate(others, toTheirs, toOurs));
    // An addition leans on the item before it; in an ordered list, and in prose, it may not lose it.
    const unmoored = (mine.length > 0 && gone(i, toTheirs)) || (others.length > 0 && gone(i, toOurs));
    if (
      replaced !== undefined ||
      (unmoored && !list.commutes && ![...mine, ...others].every((item) => item.independent && item.kind !== "section"))
    ) {
      const old = replaced ?? base.items[i];
      conflict(state, {
        where: list.kind,
        reason: replaced !== undefined && mine.length > 0 && others.length > 0 ? "both_changed" : "changed_and_deleted",
        base: old === undefined ? "" : whole(old),
        ours: mine.map(whole).join(""),
        theirs: others.map(whole).join(""),
      });
    }
    // What one side put in the place of the next item stays behind what the other put before it.
    const swap = others.length > 0 && gone(i + 1, toTheirs) && !gone(i + 1, toOurs);
    items.push(...mergeAdded(mine, others, list, state, swap));
  };
  addAfter(-1);
  for (const i of baseOrder(base, toOurs, toTheirs, state, { ours, theirs })) {
    const kept = survivor(i, base, ours, theirs, toOurs.of[i], toTheirs.of[i], state);
    if (kept !== undefined) items.push(kept);
    addAfter(i);
  }
  checkNeighbours(items, list, state, { ours: new Set([...oursAdded.values()].flat()), theirs: new Set([...theirsAdded.values()].flat()) });
  const bothGrew = [...oursAdded.values()].some((added) => added.length > 0) && [...theirsAdded.values()].some((added) => added.length > 0);
  const sort = bothGrew && list.sortable && base.items.length > 1 && [base, ours, theirs].every((side) => isSorted(side.items));
  const open = mergeText(base.open, ours.open, theirs.open, state);
  const close = mergeText(base.close, ours.close, theirs.close, state);
  if (open === undefined || close === undefined)
    conflict(state, {
      where: base.kind,
      reason: "both_changed",
      base: base.open + base.close,
      ours: ours.open + ours.close,
      theirs: theirs.open + theirs.close,
    });
  const merged: Container = {
    ...list,
    open: open ?? theirs.open,
    close: close ?? theirs.close,
    items: sort ? items.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : sortKey(a) > sortKey(b) ? 1 : 0)) : items,
    trailing:
      base.items.length === 0 ? theirs.trailing || ours.trailing : ours.trailing === base.trailing ? theirs.trailing : ours.trailing,
  };
  return spaced(merged, [base, theirs, ours]);
}

/** Two additions that came to stand side by side because what was between them is gone: their order is nobody's. */
function checkNeighbours(
  items: readonly Item[],
  list: Container,
  state: Merging,
  added: { ours: ReadonlySet<Item>; theirs: ReadonlySet<Item> },
): void {
  for (const [i, b] of items.entries()) {
    const a = items[i - 1];
    if (a === undefined || !((added.ours.has(a) && added.theirs.has(b)) || (added.theirs.has(a) && added.ours.has(b)))) continue;
    if (!(a.acts && b.acts) && (list.commutes || (a.independent && b.independent))) continue;
    const [mine, other] = added.ours.has(a) ? [a, b] : [b, a];
    conflict(state, { where: list.kind, reason: "both_added_here", base: "", ours: whole(mine), theirs: whole(other) });
  }
}

/** An item that opened its list had no line break before it; behind another one it needs one. */
function broken(list: Container, versions: readonly Container[]): Container {
  const model = versions.flatMap((version) => version.items.slice(1)).find((item) => item.lead.includes("\n"));
  const lead = model === undefined ? undefined : /\n[ \t]*$/u.exec(model.lead)?.[0];
  if (lead === undefined) return list;
  return {
    ...list,
    items: list.items.map((item, i) => (i === 0 || item.lead.includes("\n") ? item : { ...item, lead: lead + item.lead.trimStart() })),
  };
}

/** The first item and the others are led in differently; items that changed places follow suit. */
function spaced(list: Container, versions: readonly Container[]): Container {
  if (list.separator === undefined) return broken(list, versions);
  const model = versions.find((version) => version.items.length > 1) ?? versions.find((version) => version.items.length > 0);
  const first = model?.items[0]?.lead ?? "";
  const rest = model?.items[1]?.lead ?? (first === "" ? " " : first);
  if (first.includes("\n") || rest.includes("\n")) return list;
  return {
    ...list,
    items: list.items.map((item, i) =>
      item.lead.trim() === "" && !item.lead.includes("\n") ? { ...item, lead: i === 0 ? first : rest } : item,
    ),
  };
}

export interface StructureMerge {
  text: string;
  conflicts: StructureConflict[];
}

export function mergeStructures(
  base: Container,
  ours: Container,
  theirs: Container,
  options: { file: string; indented: boolean },
): StructureMerge {
  const state: Merging = { conflicts: [], ...options };
  const merged = mergeContainers(base, ours, theirs, state);
  const text = renderContainer(merged);
  // What led to the second item may lead to the first one now.
  const opens = [ours, theirs].some((side) => renderContainer(side).startsWith("\n"));
  return { text: opens ? text : text.replace(/^\n+/u, ""), conflicts: state.conflicts };
}
