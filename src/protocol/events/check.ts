/** Checks that ran to their end in a request, on the stream `check/<request>`: what each said, and of what. */
import { z } from "zod";
import { defineEvent } from "./define-event.ts";
import { checkResult } from "./check-result.ts";

const ran = defineEvent({
  type: "check.ran",
  version: 1,
  schema: z.object({
    /** What it saw, as one name: files, dependencies, environment, sandbox. It was the same when it ended. */
    seen: z.string(),
    /** The task it ran for, and the folder it ran in. */
    task: z.string(),
    folder: z.string(),
    /** It ran in a new copy. What a tree in which somebody works holds beside git's view counts nowhere else. */
    copy: z.boolean(),
    /** It left something that git ignores: whoever runs another check after it would find that. */
    leaves: z.boolean(),
    result: checkResult,
  }),
});

export const checkEvents = { ran };

export function checkStream(request: string): string {
  return `check/${request}`;
}
