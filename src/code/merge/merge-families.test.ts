import { expect, test } from "vitest";
import { MERGE_FAMILIES } from "../../../test/support/merge-cases/families.ts";
import { mergeLines } from "../../../test/support/merge-lines.ts";
import { mergeText } from "./merge-text.ts";

test.each(MERGE_FAMILIES.map((one) => [`${one.name}, ${one.file}`, one] as const))(
  "V0: %s",
  async (_, { file, base, ours, theirs, merged }) => {
    const result = await mergeText({ path: file, base, ours, theirs }, mergeLines);
    expect(result.kind === "merged" ? result.text : undefined).toEqual(merged);
    // Whose folder it is does not matter: what only a user may decide, only a user may decide.
    const swapped = await mergeText({ path: file, base, ours: theirs, theirs: ours }, mergeLines);
    expect(swapped.kind).toBe(merged === undefined ? "conflict" : "merged");
  },
);
