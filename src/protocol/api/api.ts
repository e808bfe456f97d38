/**
 * The only thing a surface sees of the product, in process or over HTTP. Everything given and taken is plain JSON;
 * what cannot be carried out is thrown as a `SylkError`.
 */
import type { WireEvent } from "../wire-event.ts";
import type { Command, CommandType, Query, QueryType, Result } from "./calls.ts";
import type { LivePart } from "./live.ts";
import type { Wire } from "./wire.ts";

export interface Api {
  /** Does something, and answers when it is done. Aborted, it stops where it can be taken up again. */
  send<T extends CommandType>(command: Command<T>, signal?: AbortSignal): Promise<Result<T>>;
  query<T extends QueryType>(query: Query<T>, signal?: AbortSignal): Promise<Result<T>>;
  /** What happened after this position and, unless the filter says where it ends, what happens. Nothing is left out. */
  events(filter: Wire<"eventFilter">, after: number, signal: AbortSignal): AsyncIterable<WireEvent>;
  /** What is shown while it happens; of the past nothing. */
  live(filter: Wire<"liveFilter">, signal: AbortSignal): AsyncIterable<LivePart>;
}
