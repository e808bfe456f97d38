/**
 * A request that has ended, as a cassette. Nothing is kept for it beside the journal: every step of every task of its
 * session stands there with what the model was shown and what it said, and so does what came into the user's folder.
 */
import { z } from "zod";
import { purposeKey, type RequestState } from "../flow/index.ts";
import type { BlobRef, Store } from "../journal/index.ts";
import { isoTime, shortIds, SylkError } from "../kernel/index.ts";
import { renderCassette, type AnsweredCall, type CassetteOptions } from "../model/index.ts";
import type { Result } from "../protocol/api/index.ts";
import { EVENTS, type Payload } from "../protocol/events/index.ts";

const PAGE = 1_000;
const TYPES = [EVENTS.task.created, EVENTS.task.stepped, EVENTS.task.merged].map(({ type }) => type);

const toolSpecs = z.array(z.object({ name: z.string(), description: z.string(), inputSchema: z.record(z.string(), z.unknown()) }));

async function callOf({ blobs }: Store, role: string, stepped: Payload<"task.stepped">): Promise<AnsweredCall> {
  const { step, phase, context, text, calls, usage, model } = stepped;
  const read = async (ref: string): Promise<string> => Buffer.from(await blobs.get(ref as BlobRef)).toString("utf8");
  return {
    // An answer that had to be mended is kept as mended: played, it is the first one.
    facts: { role, phase, purpose: "step", step },
    model,
    messages: [
      { role: "system", content: await read(context.system) },
      { role: "user", content: await read(context.user) },
    ],
    tools: toolSpecs.parse(JSON.parse(await read(context.tools))),
    answer: {
      text,
      reasoning: "",
      toolCalls: calls.map(({ name, args }, index) => ({ id: `call_${index + 1}`, name, raw: JSON.stringify(args) })),
      stop: calls.length > 0 ? "tool_use" : "end_turn",
      usage: {
        inputTokens: usage.input,
        outputTokens: usage.output,
        cacheReadTokens: usage.cached,
        cacheWriteTokens: 0,
        reasoningTokens: 0,
        estimated: false,
      },
    },
  };
}

/** In the order they were answered; those who were only asked something belong to it too. */
async function rangeOf(store: Store, { created, tasks, looks }: RequestState) {
  const roles = new Map<string, string>();
  const whole = tasks[purposeKey("inspect", looks)];
  const calls: AnsweredCall[] = [];
  let merged: Payload<"task.merged">["files"] = [];
  for (let after = 0; ;) {
    const events = await store.journal.readAll({ after, limit: PAGE, filter: { stream: "task/", types: TYPES } });
    for (const event of events) {
      const task = event.stream.slice("task/".length);
      if (EVENTS.task.created.is(event) && event.payload.session === created.id) roles.set(task, event.payload.role);
      const role = roles.get(task);
      if (role !== undefined && EVENTS.task.stepped.is(event)) calls.push(await callOf(store, role, event.payload));
      if (task === whole && EVENTS.task.merged.is(event)) merged = event.payload.files;
    }
    const last = events.at(-1);
    if (last === undefined) return { calls, files: Object.fromEntries(merged.map(({ path, after: hash }) => [path, hash])) };
    after = last.position;
  }
}

export async function recordRequest(store: Store, state: RequestState, options: CassetteOptions): Promise<Result<"request.record">> {
  const { created, ended, integration, updatedAt } = state;
  if (ended === undefined)
    throw new SylkError({
      code: "REQUEST_WRONG_STATUS",
      tier: "user_fixable",
      message: `request ${shortIds.shorten(created.id)} has not ended; what is recorded is compared by its end`,
      fix: `\`sylk session resume ${shortIds.shorten(created.id)}\` goes on with it`,
    });
  const { intent, checks, mode, profile } = created;
  const { calls, files } = await rangeOf(store, state);
  const recording = {
    request: {
      words: intent.words,
      constraints: intent.constraints,
      criteria: intent.criteria.map(({ text }) => text),
      checks,
      mode,
      profile,
      ...(integration === undefined ? {} : { commit: integration.base }),
    },
    end: { how: ended.how, files },
  };
  return { text: renderCassette(isoTime(updatedAt), recording, calls, options), calls: calls.length, recording };
}
