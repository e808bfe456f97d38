/**
 * Carries out what surfaces ask: the type says which handler, its schema says whether the words are right. Whatever a
 * handler gives back passes its schema too, so that nothing leaves that could not cross a wire.
 */
import type { ZodType } from "zod";
import { nearestWord, plainIssues, SylkError } from "../kernel/index.ts";
import {
  commands,
  eventFilter,
  liveFilter,
  queries,
  type Api,
  type CommandInput,
  type CommandType,
  type QueryInput,
  type QueryType,
  type Reply,
  type Result,
} from "../protocol/api/index.ts";

const NEVER = new AbortController().signal;

export type CommandHandlers = { [T in CommandType]: (input: CommandInput<T>, signal: AbortSignal) => Promise<Reply<T>> };
export type QueryHandlers = { [T in QueryType]: (input: QueryInput<T>, signal: AbortSignal) => Promise<Result<T>> };

export interface ApiParts extends Pick<Api, "events" | "live"> {
  commands: CommandHandlers;
  queries: QueryHandlers;
}

type Calls = Readonly<Record<string, { input: ZodType; output: ZodType }>>;
type Handler = (input: never, signal: AbortSignal) => Promise<unknown>;

function unknownType(kind: string, type: string, known: readonly string[]): SylkError {
  const near = nearestWord(type, known);
  return new SylkError({
    code: "API_UNKNOWN_TYPE",
    tier: "user_fixable",
    message: `there is no ${kind} ${JSON.stringify(type.slice(0, 80))}`,
    fix: near === undefined ? `one of ${known.join(", ")}` : `did you mean ${near}?`,
  });
}

function parsed<T>(schema: ZodType<T>, value: unknown, what: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new SylkError({
    code: "API_BAD_INPUT",
    tier: "user_fixable",
    message: `${what} is not as it should be: ${plainIssues(result.error)}`,
    fix: "src/protocol/api says what each type takes",
  });
}

async function carryOut(
  kind: string,
  calls: Calls,
  handlers: Readonly<Record<string, Handler>>,
  asked: { type: string },
  signal: AbortSignal,
): Promise<unknown> {
  const { type, ...input } = asked;
  const call = Object.hasOwn(calls, type) ? calls[type] : undefined;
  const handler = handlers[type];
  if (call === undefined || handler === undefined) throw unknownType(kind, String(type), Object.keys(calls));
  signal.throwIfAborted();
  const given = parsed(call.input, input, type);
  const said = call.output.safeParse(await handler(given as never, signal));
  if (said.success) return said.data;
  throw new SylkError({
    code: "API_BAD_REPLY",
    tier: "permanent",
    message: `the reply to ${type} is not as it should be: ${plainIssues(said.error)}`,
    fix: "this is a fault of Sylk; what was asked may have been done",
  });
}

// eslint-disable-next-line require-yield
async function* refusing(refuse: () => unknown): AsyncGenerator<never> {
  refuse();
}

export function createApi(parts: ApiParts): Api {
  return {
    // The registry says which reply belongs to which type; inside, one function serves them all.
    send: (command, signal = NEVER) => carryOut("command", commands, parts.commands, command, signal) as Promise<never>,
    query: (query, signal = NEVER) => carryOut("query", queries, parts.queries, query, signal) as Promise<never>,
    async *events(filter, after, signal) {
      yield* parts.events(parsed(eventFilter, filter, "the filter"), after, signal);
    },
    live(filter, signal) {
      const known = liveFilter.safeParse(filter);
      // Heard from this call on; a filter that is wrong is told to whoever looks, as everywhere.
      return known.success ? parts.live(known.data, signal) : refusing(() => parsed(liveFilter, filter, "the filter"));
    },
  };
}
