/** Requests as sessions, for surfaces: begin, look, pause, go on, end, take back, begin anew from the same state. */
import {
  driveRequest,
  goalOf,
  groundOf,
  pipelinesOf,
  purposeKey,
  requestView,
  reviewRange,
  rollBack,
  signalPiece,
  stopPieces,
  stopTask,
  tellPiece,
  throwAway,
  tidy,
  type FlowParts,
  type PieceSignal,
  type PipelineState,
  type Receipt,
  type RequestState,
} from "../flow/index.ts";
import { owning, type Store } from "../journal/index.ts";
import { shortIds, SylkError } from "../kernel/index.ts";
import type { Input, Result } from "../protocol/api/index.ts";
import { EVENTS, STREAMS, USER } from "../protocol/events/index.ts";
import { taskView } from "../step/index.ts";
import { recordRequest } from "./record-request.ts";
import { createResources, type Resources } from "./resources.ts";
import { detailOf, onlyPlanned, summaryOf, type Look, type Summary } from "./show-request.ts";
import { forkRequest, startRequest, type Beginning } from "./start-request.ts";

type Detail = Result<"request.show">;

export interface SessionApi {
  start(options: Input<"request.start">["options"]): Promise<string>;
  run(id: string, signal: AbortSignal): Promise<Detail>;
  review(wanted: Input<"request.review">, signal: AbortSignal): Promise<Result<"request.review">>;
  pause(id: string): Promise<void>;
  resume(id: string): Promise<void>;
  /** The user stopped what ran, on purpose. */
  stopped(id: string): Promise<void>;
  cancel(id: string, reason: string): Promise<void>;
  rollback(id: string, options: { force: boolean; signal: AbortSignal }): Promise<Receipt>;
  signal(id: string, piece: string, signal: PieceSignal): Promise<Result<"request.signal">>;
  tell(id: string, piece: string, words: string): Promise<void>;
  add(id: string, words: string): Promise<void>;
  fork(id: string, words: string | undefined): Promise<string>;
  search(words: string): Promise<Summary[]>;
  list(limit: number | undefined): Promise<Summary[]>;
  show(id: string): Promise<Detail>;
  record(id: string): Promise<Result<"request.record">>;
  resolve(id: string): Promise<string>;
}

export interface SessionParts extends Omit<Beginning, "open"> {
  existing: () => Promise<Store | undefined>;
  parts: () => Promise<Omit<FlowParts, keyof ReturnType<typeof createResources>>>;
  resources: Resources;
}

const notFound = (id: string): SylkError =>
  new SylkError({
    code: "REQUEST_NOT_FOUND",
    tier: "user_fixable",
    message: id === "last" ? "there is no request here yet" : `there is no request ${id}`,
    fix: id === "last" ? '`sylk run "…"` starts one' : "`sylk session list` shows them",
  });

/** While a plan waits for its answer nothing of it begins, and nothing is told to what has not begun. */
function mustBeApproved({ created, plan, approved, shaped, ended }: RequestState): void {
  // Pieces of a plan that is being changed are there all the same.
  if (plan === undefined || approved || shaped !== undefined || ended !== undefined) return;
  const short = shortIds.shorten(created.id);
  throw new SylkError({
    code: "REQUEST_PLAN_WAITS",
    tier: "user_fixable",
    message: `the plan of ${short} waits for your answer; nothing of it is built before that`,
    fix: `\`sylk session show ${short}\` shows it; approve it, reject it, or say what should be different`,
  });
}

/** What would be heard by nobody is not taken. */
async function mayAdd(store: Store, { created, classified, tasks, looks }: RequestState, words: string): Promise<void> {
  const no = (message: string, fix: string): SylkError =>
    new SylkError({ code: "REQUEST_WRONG_STATUS", tier: "user_fixable", message, fix });
  const short = shortIds.shorten(created.id);
  if (words.trim() === "") throw no("nothing was added: there are no words", `sylk session add ${short} "and a --json flag"`);
  if (classified?.kind === "answer")
    throw no(`${short} only answers a question; nothing is built in it`, 'say it as a request: sylk run "…"');
  const whole = tasks[purposeKey("inspect", looks)];
  const look = whole === undefined ? undefined : await store.journal.get(taskView, STREAMS.task(whole));
  if (look?.merging !== undefined || look?.merged !== undefined)
    throw no(`${short} is in your folder already`, 'say it as a request: sylk run "…"');
}

export function createSessionApi({ existing, parts: given, projectDir, screen, resources }: SessionParts): SessionApi {
  const shared = createResources(resources);
  const open = async (): Promise<FlowParts> => ({ ...(await given()), ...shared });
  const beginning = { open, projectDir, screen };
  /** Between two moves nobody holds a request; whoever drives it knows that it goes on. */
  const driven = new Set<string>();
  const load = async (id: string): Promise<{ store: Store; state: RequestState }> => {
    const store = await existing();
    const state = await store?.journal.get(requestView, STREAMS.request(id));
    if (store === undefined || state === undefined) throw notFound(id);
    return { store, state };
  };
  const look = async (store: Store): Promise<Look> => {
    const { questions, clock } = await open();
    return { store, questions, clock, isDriven: (id) => driven.has(id) };
  };
  const detail = async (id: string): Promise<Detail> => {
    const { store, state } = await load(id);
    return detailOf(await look(store), state);
  };

  /** Every piece of it that has begun; each acknowledges by itself. */
  const toAll = async (
    parts: FlowParts,
    state: RequestState,
    signal: PieceSignal,
    which: (piece: PipelineState) => boolean,
  ): Promise<void> => {
    const live = [...(await pipelinesOf(parts, state))].filter(([, piece]) => piece.ended === undefined && which(piece));
    await Promise.all(live.map(([node]) => signalPiece(parts, state.pipelines, node, signal)));
  };

  /** Made, and not at its end; a task is paused after the step it is in. */
  const isAtWork = async (task: string): Promise<boolean> =>
    (await (await existing())?.journal.get(taskView, STREAMS.task(task)))?.status === "running";

  const append = async (id: string, event: Parameters<Store["journal"]["append"]>[2][number]): Promise<void> => {
    const { store, state } = await load(id);
    if (state.ended !== undefined)
      throw new SylkError({
        code: "REQUEST_ENDED",
        tier: "user_fixable",
        message: `request ${id} has ended: ${state.ended.how}`,
        fix: `\`sylk session show ${shortIds.shorten(id)}\` tells how`,
      });
    await store.journal.append(STREAMS.request(id), "any", [event]);
  };

  /** Whoever works on it stops first; then nothing of it is left. */
  const cancel = async (id: string, reason: string): Promise<void> => {
    const { state } = await load(id);
    const parts = await open();
    await append(
      id,
      EVENTS.request.ended.create({ how: "cancelled", summary: reason, deferred: [], files: [], evidence: {} }, { actor: USER }),
    );
    await stopPieces(parts, state, reason, { actor: USER });
    for (const task of Object.values(state.tasks)) await stopTask(parts, task, reason);
    const ground = groundOf(parts);
    for (const key of [STREAMS.request(id), ...Object.values(state.pipelines).map((piece) => STREAMS.pipeline(piece))])
      await owning(ground, key, { waits: true }, () => Promise.resolve());
    await tidy(parts, (await load(id)).state);
  };

  /** One process at a time works on it; a second one would only look on. */
  const mustBeFree = async (store: Store, state: RequestState): Promise<void> => {
    const keys = [STREAMS.request(state.created.id), ...Object.values(state.pipelines).map((piece) => STREAMS.pipeline(piece))];
    for (const key of keys)
      if ((await store.work.holder(key)) !== undefined)
        throw new SylkError({
          code: "REQUEST_WRONG_STATUS",
          tier: "user_fixable",
          message: `request ${state.created.id} is being worked on by another process`,
          fix: "`sylk session show` tells how far it is; wait for it, or end it first",
        });
  };

  return {
    start: (options) => startRequest(beginning, options),
    async run(id, signal) {
      const parts = await open();
      const { state } = await load(id);
      await mustBeFree(parts.store, state);
      driven.add(id);
      try {
        await driveRequest(parts, state, { signal });
        return await detail(id);
      } finally {
        driven.delete(id);
      }
    },
    review: async (wanted, signal) => reviewRange({ ...(await open()), projectDir }, wanted, signal),
    async pause(id) {
      await append(id, EVENTS.request.pauseAsked.create({ reason: "asked by the user" }, { actor: USER }));
      const parts = await open();
      const { state } = await load(id);
      for (const task of Object.values(state.tasks)) if (await isAtWork(task)) await parts.tasks.pause(task);
      await toAll(parts, state, "pause", (piece) => !piece.paused);
    },
    async resume(id) {
      const { store, state } = await load(id);
      const asked = await onlyPlanned(await look(store), state);
      if (asked === undefined) {
        await append(id, EVENTS.request.resumed.create({}, { actor: USER }));
        return toAll(await open(), state, "resume", (piece) => piece.paused);
      }
      // Going on with a plan is its approval.
      const { questions } = await open();
      for (const { id: question } of asked) await questions.answer(question, { kind: "chosen", value: "approve" }, USER);
    },
    async stopped(id) {
      if ((await load(id)).state.ended === undefined) await append(id, EVENTS.request.stopped.create({}, { actor: USER }));
    },
    cancel,
    async rollback(id, options) {
      const { state } = await load(id);
      const parts = await open();
      const stop = (): Promise<void> => (state.ended === undefined ? cancel(id, "taken back by the user") : throwAway(parts, state));
      return rollBack(parts, state, stop, options);
    },
    async signal(id, piece, signal) {
      const { state } = await load(id);
      mustBeApproved(state);
      const heard = await signalPiece(await open(), state.pipelines, piece, signal);
      return heard === undefined ? null : { stands: heard.stands, running: heard.running };
    },
    async tell(id, piece, words) {
      const { state } = await load(id);
      mustBeApproved(state);
      await tellPiece(await open(), state.pipelines, piece, await screen(words));
    },
    async add(id, words) {
      const { store, state } = await load(id);
      await mayAdd(store, state, words);
      await append(id, EVENTS.request.added.create({ words: await screen(words) }, { actor: USER }));
      // What it asked of its own speaks of the plan before.
      const { questions } = await open();
      for (const { id: question, status } of await questions.list(id))
        if (status === "open") await questions.withdraw(question, "asked anew with what you added", USER);
    },
    fork: async (id, words) => forkRequest(beginning, (await load(id)).state, words),
    async search(words) {
      const store = await existing();
      const wanted = words
        .toLowerCase()
        .split(/\s+/u)
        .filter((word) => word !== "");
      if (store === undefined || wanted.length === 0) return [];
      const rows = await store.journal.list(requestView, { prefix: "request/", reverse: true });
      const found = rows.filter(({ state: { intent, plan, nodes, ended } }) => {
        const titles = [...nodes, ...(plan?.plan.nodes ?? [])].map(({ title }) => title);
        const text = [goalOf(intent), plan?.plan.summary ?? "", ended?.summary ?? "", ...titles].join("\n").toLowerCase();
        return wanted.every((word) => text.includes(word));
      });
      const at = await look(store);
      return Promise.all(found.map(({ state }) => summaryOf(at, state)));
    },
    async list(limit) {
      const store = await existing();
      if (store === undefined) return [];
      const rows = await store.journal.list(requestView, { prefix: "request/", reverse: true, ...(limit === undefined ? {} : { limit }) });
      const at = await look(store);
      return Promise.all(rows.map(({ state }) => summaryOf(at, state)));
    },
    show: detail,
    async record(id) {
      const { store, state } = await load(id);
      const engine = await (await open()).engine();
      return recordRequest(store, state, { cwd: projectDir, redact: (text) => engine.redact(text) });
    },
    async resolve(id) {
      const store = await existing();
      const keys = (await store?.journal.keys(requestView, "request/")) ?? [];
      const ids = keys.map((key) => key.slice("request/".length));
      const newest = ids.toSorted().at(-1);
      if (id === "last") {
        if (newest === undefined) throw notFound(id);
        return newest;
      }
      const found = shortIds.match(id, ids);
      if (found.kind === "one") return found.id;
      throw notFound(id);
    },
  };
}
