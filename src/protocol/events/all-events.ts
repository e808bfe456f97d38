/** All kinds of events, and the names of their streams. */
import type { EventOf, PayloadOf } from "./define-event.ts";
import { AUDIT_STREAM, auditEvents } from "./audit.ts";
import { checkEvents, checkStream } from "./check.ts";
import { goalEvents } from "./goal.ts";
import { ACCEPTED_STREAM, journalEvents } from "./journal.ts";
import { knowledgeEvents } from "./knowledge.ts";
import { mistakeEvents, preferenceEvents } from "./learning.ts";
import { memoryEvents, memoryStream } from "./memory.ts";
import { messageEvents, messageStream } from "./message.ts";
import { holdEvents, registerEvents, signalEvents, usageEvents } from "./model.ts";
import { pipelineEvents, pipelineStream } from "./pipeline.ts";
import { questionEvents, questionStream } from "./question.ts";
import { requestEvents, requestStream } from "./request.ts";
import { ringEvents } from "./ring.ts";
import { runEvents } from "./run.ts";
import { skillEvents } from "./skill.ts";
import { taskEvents, taskStream } from "./task.ts";

export const EVENTS = {
  audit: auditEvents,
  check: checkEvents,
  goal: goalEvents,
  hold: holdEvents,
  journal: journalEvents,
  knowledge: knowledgeEvents,
  memory: memoryEvents,
  message: messageEvents,
  mistake: mistakeEvents,
  pipeline: pipelineEvents,
  preference: preferenceEvents,
  question: questionEvents,
  register: registerEvents,
  request: requestEvents,
  ring: ringEvents,
  run: runEvents,
  signal: signalEvents,
  skill: skillEvents,
  task: taskEvents,
  usage: usageEvents,
};

type Kinds = typeof EVENTS;
type TypeIn<Kind> = Kind extends unknown ? Kind[keyof Kind] : never;
type AnyType = TypeIn<Kinds[keyof Kinds]>;

/** Any event of a stream kind. */
export type EventIn<Kind extends keyof Kinds> = EventOf<Kinds[Kind]>;
/** What an event of this type says. */
export type Payload<Type extends AnyType["type"]> = PayloadOf<Extract<AnyType, { type: Type }>>;

export const STREAMS = {
  accepted: ACCEPTED_STREAM,
  audit: AUDIT_STREAM,
  check: checkStream,
  memory: memoryStream,
  message: messageStream,
  pipeline: pipelineStream,
  question: questionStream,
  request: requestStream,
  task: taskStream,
};
