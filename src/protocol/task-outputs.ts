import { z } from "zod";

/** What a task hands over beside its report, by the names its type gives. */
export const taskOutputs = z.record(z.string(), z.union([z.string(), z.array(z.string())]));
