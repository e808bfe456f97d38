/** What crosses the wire beside calls, as schemas. */
import type { z } from "zod";
import { wireEvent } from "../wire-event.ts";
import { eventFilter, liveFilter } from "./filters.ts";
import { livePart } from "./live.ts";

export const wire = { event: wireEvent, eventFilter, livePart, liveFilter } as const;
export type Wire<Name extends keyof typeof wire> = z.infer<(typeof wire)[Name]>;
