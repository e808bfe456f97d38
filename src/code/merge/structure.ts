/**
 * A text as nested lists: containers (a file, a class body, an import list) hold items, an item's
 * text is literal pieces and further containers. Concatenating everything gives the text back, byte
 * for byte; only these lists are ever rearranged by a merge.
 */
export interface Container {
  kind: string;
  /** Text before the first item, after the last one. */
  open: string;
  close: string;
  items: Item[];
  /** Written between items; absent where items stand on lines of their own. */
  separator: string | undefined;
  /** The last item is followed by the separator too. */
  trailing: boolean;
  /** Additions of both sides at one place may stand in either order. */
  commutes: boolean;
  /** Sorted lists stay sorted. */
  sortable: boolean;
}

export interface Item {
  kind: string;
  /** Names the item among its siblings; items without a name are known by their content. */
  key: string;
  named: boolean;
  /** The name it declares, also where several items share it. */
  declares: string;
  /** The order of two such additions does not matter, whatever holds them. */
  independent: boolean;
  /** The names it binds where it stands. */
  binds: readonly string[];
  /** It does something when its place is reached. */
  acts: boolean;
  /** White space and comments before it. */
  lead: string;
  parts: Part[];
  /** What follows on its last line: a comment, a semicolon; never the separator. */
  trail: string;
}

export type Part = { kind: "text"; text: string } | { kind: "container"; container: Container };

function renderPart(part: Part): string {
  return part.kind === "text" ? part.text : renderContainer(part.container);
}

/** The item without what surrounds it. */
export function bodyOf(item: Item): string {
  return item.parts.map(renderPart).join("");
}

export function renderContainer(container: Container): string {
  let out = container.open;
  for (const [i, item] of container.items.entries()) {
    const last = i === container.items.length - 1;
    const mark = container.separator !== undefined && (!last || container.trailing) ? container.separator : "";
    out += item.lead + bodyOf(item) + mark + item.trail;
  }
  return out + container.close;
}

export const squeeze = (text: string): string => text.replace(/\s+/gu, " ").trim();
