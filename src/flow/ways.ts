/** The ways in which a piece is built when it is built in several, the trees they have, and which of them is best. */
import type { Payload } from "../protocol/events/index.ts";
import type { FlowParts } from "./parts.ts";

type Tried = Payload<"pipeline.way_tried">;

/** What the builder of each is told, beside what all are told. */
export const WAYS = [
  "keep what is built and mend exactly what failed",
  "leave the way that was taken and solve it in another one",
  "the shortest change that makes all of it true: take out what is not needed",
] as const;

export const treeOfWay = (tree: string, way: number): string => `${tree}_way_${way}`;

/** Nothing of the ways is left; what they built stays reachable. */
export async function dropWays({ trees }: Pick<FlowParts, "trees">, tree: string): Promise<void> {
  for (const index of WAYS.keys()) await trees.discard(treeOfWay(tree, index + 1));
}

/** The fewest tests that fail, then the shortest change; who touched the tests comes last. */
export function bestOf(ways: readonly Tried[]): Tried | undefined {
  const rank = ({ tests_set_back: setBack, failing, lines }: Tried): number[] => [Math.min(setBack.length, 1), failing.length, lines];
  return ways
    .filter(({ commit }) => commit !== undefined)
    .toSorted((a, b) => {
      const [left, right] = [rank(a), rank(b)];
      return left.map((value, index) => value - (right[index] ?? 0)).find((difference) => difference !== 0) ?? a.way - b.way;
    })[0];
}
