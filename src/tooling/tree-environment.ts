/**
 * What commands in a work tree are told, so that servers, caches and databases of parallel trees keep apart: which tree
 * it is, and a block of ports. The same tree always has the same block.
 */
import { sha256 } from "../kernel/index.ts";
import type { Place } from "../protocol/index.ts";

const FIRST_PORT = 20_000;
const PORTS = 10;
/** All below those that systems give out by themselves. */
const BLOCKS = 1_200;

export function treeEnvironment(place: Place): Record<string, string> {
  if (place.kind !== "tree") return {};
  const base = FIRST_PORT + (Number.parseInt(sha256(place.tree).slice(0, 8), 16) % BLOCKS) * PORTS;
  return { SYLK_WORKTREE: place.tree, SYLK_PORT_BASE: String(base), PORT: String(base) };
}
