import { z } from "zod";

/** Where something works: in the project's folder, where the user does, or in a work tree of its own. */
export const place = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("project"), /** Relative to the project. */ folder: z.string() }),
  z.object({ kind: z.literal("tree"), tree: z.string(), /** Absolute: trees stand outside the project. */ folder: z.string() }),
]);
export type Place = z.infer<typeof place>;
