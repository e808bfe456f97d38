/**
 * What runs ask the user, and the answers. Whoever waits for questions learns of them through `events`, on the
 * streams `question/<asker>/`.
 */
import { z } from "zod";
import { givenAnswer, questionState } from "../question.ts";
import { defineCall } from "./define-call.ts";

const one = z.strictObject({ id: z.string() });

export const commands = {
  /** Refused when it takes no answer any more, or not this one. A secret is kept with the credentials, nowhere else. */
  "question.answer": defineCall(one.extend({ answer: givenAnswer }), questionState),
};

export const queries = {
  /** Open ones, oldest first; with `ended`, all there ever were. Of one asker when it is named. */
  "question.list": defineCall(z.strictObject({ ended: z.boolean(), asker: z.string().optional() }), z.array(questionState)),
  /** By its id, the beginning or the end of it. */
  "question.show": defineCall(one, questionState),
};
