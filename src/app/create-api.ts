/**
 * Carries out what surfaces ask: the type says which handler, its schema says whether the words are right. Whatever a
 * handler gives back passes its schema too, so that nothing leaves that could not cross a wire.
 */
import type { ZodType } from "zod";
import { SylkError, wording } from "../kernel/index.ts";
import { type Api, type Result, calls, wire, type Input, type Command, type Query } from "../protocol/api/index.ts";

const NEVER = new AbortController().signal;

export type CommandHandlers = { [T in Command["type"]]: (input: Input<T>, signal: AbortSignal) => Promise<Result<T>> };
export type QueryHandlers = { [T in Query["type"]]: (input: Input<T>, signal: AbortSignal) => Promise<Result<T>> };

type KeysOf<T> = T extends unknown ? keyof T : never;
type PartOf<T, K> = T extends unknown ? (K extends keyof T ? T[K] : never) : never;
/** Names in what is given that what is told has no place for; deep enough for every reply there is. */
type Extra<Given, Told, Depth extends 0[] = []> = Depth["length"] extends 5
  ? never
  : Given extends readonly (infer G)[]
    ? Extra<G, PartOf<Told, number>, [...Depth, 0]>
    : Given extends object
      ? string extends KeysOf<Told>
        ? never
        :
            | Exclude<keyof Given, KeysOf<Told>>
            | { [K in keyof Given & KeysOf<Told>]: Extra<Given[K], PartOf<Told, K>, [...Depth, 0]> }[keyof Given & KeysOf<Told>]
      : never;
/** A handler whose result holds more than its schema says is none: strict schemas would refuse it when it is asked. */
type NothingMore<Handlers, Known> = {
  [T in keyof Handlers]: Handlers[T] extends (...args: never[]) => Promise<infer Given>
    ? T extends keyof Known
      ? Known[T] extends (...args: never[]) => Promise<infer Told>
        ? [Extra<Given, Told>] extends [never]
          ? unknown
          : { notInItsSchema: Extra<Given, Told> }
        : unknown
      : unknown
    : unknown;
};

export interface ApiParts<C, Q> extends Pick<Api, "events" | "live"> {
  commands: C & NothingMore<C, CommandHandlers>;
  queries: Q & NothingMore<Q, QueryHandlers>;
}

type Kind = Parameters<typeof calls.find>[0];
type Handler = (input: never, signal: AbortSignal) => Promise<unknown>;

async function unknownType(kind: Kind, type: string): Promise<SylkError> {
  const known = await calls.types(kind);
  const near = wording.nearest(type, known);
  return new SylkError({
    code: "API_UNKNOWN_TYPE",
    tier: "user_fixable",
    message: `there is no ${kind === "commands" ? "command" : "query"} ${JSON.stringify(type.slice(0, 80))}`,
    fix: near === undefined ? `one of ${known.join(", ")}` : `did you mean ${near}?`,
  });
}

function parsed<T>(schema: ZodType<T>, value: unknown, what: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new SylkError({
    code: "API_BAD_INPUT",
    tier: "user_fixable",
    message: `${what} is not as it should be: ${wording.issues(result.error)}`,
    fix: "src/protocol/api says what each type takes",
  });
}

async function carryOut(
  kind: Kind,
  handlers: Readonly<Record<string, Handler>>,
  asked: { type: string },
  signal: AbortSignal,
): Promise<unknown> {
  const { type, ...input } = asked;
  const call = await calls.find(kind, String(type));
  const handler = handlers[type];
  if (call === undefined || handler === undefined) throw await unknownType(kind, String(type));
  signal.throwIfAborted();
  const given = parsed(call.input, input, type);
  const said = call.output.safeParse(await handler(given as never, signal));
  if (said.success) return said.data;
  throw new SylkError({
    code: "API_BAD_REPLY",
    tier: "permanent",
    message: `the reply to ${type} is not as it should be: ${wording.issues(said.error)}`,
    fix: "this is a fault of Sylk; what was asked may have been done",
  });
}

// eslint-disable-next-line require-yield
async function* refusing(refuse: () => unknown): AsyncGenerator<never> {
  refuse();
}

export function createApi<C extends CommandHandlers, Q extends QueryHandlers>(parts: ApiParts<C, Q>): Api {
  return {
    // The registry says which reply belongs to which type; inside, one function serves them all.
    send: (command, signal = NEVER) => carryOut("commands", parts.commands, command, signal) as Promise<never>,
    query: (query, signal = NEVER) => carryOut("queries", parts.queries, query, signal) as Promise<never>,
    async *events(filter, after, signal) {
      yield* parts.events(parsed(wire.eventFilter, filter, "the filter"), after, signal);
    },
    live(filter, signal) {
      const known = wire.liveFilter.safeParse(filter);
      // Heard from this call on; a filter that is wrong is told to whoever looks, as everywhere.
      return known.success ? parts.live(known.data, signal) : refusing(() => parsed(wire.liveFilter, filter, "the filter"));
    },
  };
}
