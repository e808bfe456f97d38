/** What is folded from the journal for memory: rings, and what was learnt. */
import { ringView } from "./durable-ring.ts";
import { mistakeView } from "./learning/mistakes.ts";
import { preferenceView } from "./learning/preferences.ts";

export const memoryViews = [ringView, mistakeView, preferenceView];
