/** Plain nested values: the few operations layering needs. */
import { must } from "../errors.ts";
export type Tree = { [key: string]: unknown };

export function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Maps merge key by key; anything else is replaced whole (CFG-002). */
export function mergeTrees(lower: Tree, higher: Tree): Tree {
  const out: Tree = { ...lower };
  for (const [key, value] of Object.entries(higher)) {
    const under = out[key];
    out[key] = isTree(under) && isTree(value) ? mergeTrees(under, value) : value;
  }
  return out;
}

export function getAt(tree: unknown, path: readonly PropertyKey[]): unknown {
  let value = tree;
  for (const key of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

export function setAt(tree: Tree, path: readonly string[], value: unknown): void {
  let node = tree;
  for (const key of path.slice(0, -1)) {
    const next = node[key];
    if (isTree(next)) node = next;
    else node = node[key] = {};
  }
  node[must(path.at(-1))] = value;
}

/** Removes the value, and then every parent left empty by that. */
export function deleteAt(tree: Tree, path: readonly PropertyKey[]): void {
  const parent = getAt(tree, path.slice(0, -1));
  const last = path.at(-1);
  if (last === undefined || typeof parent !== "object" || parent === null) return;
  if (Array.isArray(parent)) {
    deleteAt(tree, path.slice(0, -1));
    return;
  }
  delete (parent as Record<PropertyKey, unknown>)[last];
  if (path.length > 1 && Object.keys(parent).length === 0) deleteAt(tree, path.slice(0, -1));
}
