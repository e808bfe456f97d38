/** Git's line merge on the real clock, as the workspace hands it to the structural merge. */
import { systemClock } from "../../src/kernel/index.ts";
import type { MergeLines } from "../../src/code/lines/index.ts";
import { plainMerge } from "../../src/workspace/git/plain-merge.ts";

export const mergeLines: MergeLines = (base, ours, theirs) => plainMerge(base, ours, theirs, systemClock);
