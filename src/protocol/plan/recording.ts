/** What a cassette says of the request its calls belong to: enough to play it by itself and to tell whether it ended the same. */
import { z } from "zod";
import { CHOICES } from "../choices.ts";

const texts = z.array(z.string());

export const recording = z.strictObject({
  request: z.strictObject({
    words: z.string(),
    constraints: texts,
    criteria: texts,
    checks: texts,
    mode: z.enum(CHOICES.requestMode),
    profile: z.string(),
    /** The state of the project it began from; absent: it never came to building. */
    commit: z
      .string()
      .regex(/^[0-9a-f]{40,64}$/u)
      .optional(),
  }),
  end: z.strictObject({
    how: z.enum(CHOICES.requestEnd),
    /** What came into the user's folder: by path the hash of its content, null where the file was deleted. */
    files: z.record(z.string(), z.string().nullable()),
  }),
});
