/** A picture that the user gave with a task or a request, as it was then. */
import { z } from "zod";

export const picture = z.object({
  name: z.string(),
  /** Its bytes, as a blob. */
  content: z.string(),
  media_type: z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]),
  width: z.int(),
  height: z.int(),
  /** What it takes of a step's input. */
  tokens: z.int(),
});
