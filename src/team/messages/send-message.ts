/**
 * The one way a message is sent: its chains only grew, a reply answers something that is waited for, and the same message
 * is sent once, whoever sends it again after a restart.
 */
import type { Store, View } from "../../journal/index.ts";
import { SylkError, unreachable } from "../../kernel/index.ts";
import { MESSAGES } from "../../protocol/index.ts";
import { EVENTS, STREAMS, agentActor, SYSTEM, decode, typesOf, type Payload } from "../../protocol/events/index.ts";

export type Message = Payload<"message.sent">["message"];

interface Messages {
  sent: Record<string, Message>;
  /** Questions that have their answer or their failure, by id. */
  settled: Record<string, string>;
  weighed: Record<string, Payload<"message.weighed">>;
}

export const messagesView: View<Messages> = {
  name: "messages",
  version: 1,
  types: typesOf(EVENTS.message),
  key: (event) => event.stream,
  reduce(state = { sent: {}, settled: {}, weighed: {} }, happened) {
    const event = decode(EVENTS.message, happened);
    if (event === undefined) return state;
    switch (event.type) {
      case "message.sent": {
        const { message } = event.payload;
        const sent = { ...state.sent, [message.id]: message };
        return isReply(message)
          ? { ...state, sent, settled: { ...state.settled, [message.parent ?? ""]: message.id } }
          : { ...state, sent };
      }
      case "message.weighed":
        return { ...state, weighed: { ...state.weighed, [event.payload.id]: event.payload } };
      case "message.dropped":
      case "message.expired":
        return state;
      default:
        return unreachable(event);
    }
  },
};

const isReply = ({ body }: Message): boolean => body.kind === "answer" || body.kind === "failure";

const refused = (message: Message, why: string): SylkError =>
  new SylkError({
    code: "MESSAGE_REFUSED",
    tier: "permanent",
    message: `a message of ${message.from} to ${message.to} is refused: ${why}`,
  });

const stateOf = async ({ journal }: Store, { correlation }: Message): Promise<Messages | undefined> =>
  journal.get(messagesView, STREAMS.message(correlation));

/** Why nobody waits for this reply. */
function unawaited(state: Messages, message: Message, now: number): string | undefined {
  const asked = state.sent[message.parent ?? ""];
  if (asked?.body.kind !== "question") return "nobody asked";
  if (asked.id in state.settled) return "it was answered already";
  const isLate = message.body.kind === "answer" && asked.deadline !== null && now > asked.deadline;
  return isLate ? "it came after its deadline" : undefined;
}

/** `parent`: what it follows from. What does not carry what its parent carried is refused. */
export async function sendMessage(store: Store, parent: Message, message: Message, now: number): Promise<"sent" | "dropped"> {
  const wrong = MESSAGES.chainProblem(parent, message);
  if (wrong !== undefined) throw refused(message, wrong);
  const stream = STREAMS.message(message.correlation);
  const state = await stateOf(store, message);
  if (state?.sent[message.id] !== undefined) return "sent";
  const by = { actor: agentActor(message.from, message.id) };
  const why = isReply(message) ? unawaited(state ?? { sent: {}, settled: {}, weighed: {} }, message, now) : undefined;
  if (why !== undefined) {
    await store.journal.append(stream, "any", [EVENTS.message.dropped.create({ message, why }, by)]);
    return "dropped";
  }
  // The request itself is where every chain begins; it stands in the log once.
  const first =
    state?.sent[parent.id] === undefined && parent.id === parent.correlation
      ? [EVENTS.message.sent.create({ message: parent }, { actor: SYSTEM.engine })]
      : [];
  await store.journal.append(stream, "any", [...first, EVENTS.message.sent.create({ message }, by)]);
  return "sent";
}

/** What was sent under this id about this request. */
export async function messageById({ journal }: Store, correlation: string, id: string): Promise<Message | undefined> {
  return (await journal.get(messagesView, STREAMS.message(correlation)))?.sent[id];
}

/** Nobody answered in time: that is told, and whoever asked has a failure instead of an answer. */
export async function expire(store: Store, question: Message, now: number): Promise<void> {
  const { id, from, to, body, correlation } = question;
  if (body.kind !== "question" || id in ((await stateOf(store, question))?.settled ?? {})) return;
  const told = EVENTS.message.expired.create({ id, from, to, question: body.question }, { actor: SYSTEM.engine });
  await store.journal.append(STREAMS.message(correlation), "any", [told]);
  await fail(store, question, "expired", "it took longer than a consultation may", now);
}

export async function fail(
  store: Store,
  question: Message,
  code: "expired" | "no_answer" | "not_mine",
  why: string,
  now: number,
): Promise<void> {
  await sendMessage(
    store,
    question,
    MESSAGES.reply(question, { id: `${question.id}/failure`, at: now, body: { kind: "failure", code, why } }),
    now,
  );
}
