export { CHOICES } from "./choices.ts";
export { MESSAGES } from "./message.ts";
export type { Place } from "./place.ts";
export { roleFields, type Role, type RoleSpec } from "./roles.ts";
export type { WireEvent } from "./wire-event.ts";
export type { Question, QuestionAnswer } from "./question.ts";
export { optionsOf } from "./question-options.ts";
