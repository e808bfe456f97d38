/** Requests for surfaces: start, run, look, stop. */
import { owning, type Store } from "../journal/index.ts";
import { newId, shortIds, SylkError, wording } from "../kernel/index.ts";
import { taskUsage } from "../model/index.ts";
import type { Input, Result } from "../protocol/api/index.ts";
import { EVENTS, STREAMS, USER } from "../protocol/events/index.ts";
import { taskView } from "../step/index.ts";
import { commandOf } from "../team/index.ts";
import { driveRequest } from "./drive-request.ts";
import { goalOf } from "./intent.ts";
import { groundOf, type FlowParts } from "./parts.ts";
import type { PipelineState } from "./pipeline-state.ts";
import { signalPiece, tellPiece, type PieceSignal } from "./piece-signals.ts";
import { planText } from "./plan-text.ts";
import { pipelinesOf, stopPieces, throwAway, tidy } from "./request-hands.ts";
import { recordRequest } from "./record-request.ts";
import { reviewRange } from "./review.ts";
import { rollBack, type Receipt } from "./rollback.ts";
import { stopTask } from "./run-phase.ts";
import { createSeats } from "./seats.ts";
import { purposeKey, requestView, type RequestState } from "./request-state.ts";
import { blockedBy } from "./what-needs.ts";

type Detail = Result<"request.show">;
type Summary = Result<"request.list">[number];
type Piece = Detail["work"][number];

export interface FlowApi {
  start(options: Input<"request.start">["options"]): Promise<string>;
  run(id: string, signal: AbortSignal): Promise<Detail>;
  review(wanted: Input<"request.review">, signal: AbortSignal): Promise<Result<"request.review">>;
  pause(id: string): Promise<void>;
  resume(id: string): Promise<void>;
  cancel(id: string, reason: string): Promise<void>;
  rollback(id: string, options: { force: boolean; signal: AbortSignal }): Promise<Receipt>;
  signal(id: string, piece: string, signal: PieceSignal): Promise<Result<"request.signal">>;
  tell(id: string, piece: string, words: string): Promise<void>;
  fork(id: string, words: string | undefined): Promise<string>;
  search(words: string): Promise<Summary[]>;
  list(limit: number | undefined): Promise<Summary[]>;
  show(id: string): Promise<Detail>;
  record(id: string): Promise<Result<"request.record">>;
  resolve(id: string): Promise<string>;
}

export interface FlowApiParts {
  existing: () => Promise<Store | undefined>;
  parts: () => Promise<Omit<FlowParts, "seats">>;
  /** Pieces of all requests that this process builds at the same time. */
  seats: () => number;
  projectDir: string;
  /** Words of the user, before anything uses them. */
  screen: (text: string) => Promise<string>;
}

const notFound = (id: string): SylkError =>
  new SylkError({
    code: "REQUEST_NOT_FOUND",
    tier: "user_fixable",
    message: id === "last" ? "there is no request here yet" : `there is no request ${id}`,
    fix: id === "last" ? '`sylk run "…"` starts one' : "`sylk session list` shows them",
  });

/** While a plan waits for its answer nothing of it begins, and nothing is told to what has not begun. */
function mustBeApproved({ created, plan, approved, ended }: RequestState): void {
  if (plan === undefined || approved || ended !== undefined) return;
  const short = shortIds.shorten(created.id);
  throw new SylkError({
    code: "REQUEST_PLAN_WAITS",
    tier: "user_fixable",
    message: `the plan of ${short} waits for your answer; nothing of it is built before that`,
    fix: `\`sylk session show ${short}\` shows it; approve it, reject it, or say what should be different`,
  });
}

/** A command is carried out by whoever heard it; it never becomes work. */
const notARequest = (words: string, said: Exclude<ReturnType<typeof commandOf>, { kind: "none" }>): SylkError =>
  new SylkError({
    code: "USAGE_NO_COMMAND",
    tier: "user_fixable",
    message: said.kind === "wrong" ? said.message : `${words} is a command, not a request`,
    fix: said.kind === "wrong" ? said.fix : "say what you want in other words",
  });

function stateOf(
  node: string,
  state: RequestState,
  known: PipelineState | undefined,
  held: { why: string } | undefined,
): Pick<Piece, "state" | "why"> {
  const skipped = state.skipped[node];
  if (known?.ended !== undefined) return { state: known.ended.how, why: known.ended.why };
  if (skipped !== undefined) return { state: "skipped", why: skipped };
  if (known === undefined) return held === undefined ? { state: "waiting", why: "" } : { state: "blocked", why: held.why };
  if (known.waits !== undefined) return { state: "needs_you", why: known.waits.text };
  if (known.paused) return { state: "paused", why: "" };
  if (known.held !== undefined)
    return { state: "blocked", why: `${known.held.by} changes ${known.held.symbols.join(", ")} too; it goes on when that is through` };
  if (known.merged !== undefined || known.merging !== undefined || known.judged?.passed === true) return { state: "merging", why: "" };
  return { state: known.phase?.phase ?? "waiting", why: known.briefing?.failure_analysis ?? "" };
}

/** Who works on it, at which step, and what it does or said last. */
async function doingOf(store: Store, piece: PipelineState | undefined): Promise<Pick<Piece, "doing">> {
  const id = piece?.ended === undefined ? piece?.tasks.at(-1) : undefined;
  const task = id === undefined ? undefined : await store.journal.get(taskView, STREAMS.task(id));
  if (task === undefined) return {};
  const does = task.pending?.calls.map(({ name }) => name).join(", ") ?? task.words.at(-1) ?? "";
  return { doing: `${task.created.role}, step ${task.step + 1} (${task.status})${does === "" ? "" : `: ${wording.oneLine(does, 200)}`}` };
}

function statusOf(state: RequestState, known: ReadonlyMap<string, PipelineState>, hasOpen: boolean): Summary["status"] {
  if (state.ended !== undefined) return state.ended.how;
  if (state.paused) return "paused";
  // Only a plan was wanted: it is there, and whoever wants more says so.
  if (hasOpen && state.created.approve === "plan-only" && !state.approved && state.waits?.why === "plan") return "planned";
  if (hasOpen) return "needs_you";
  if ([...known.values()].some((piece) => piece.paused && piece.ended === undefined)) return "paused";
  if (state.shaped === undefined) return "planning";
  return state.nodes.every((node) => node.id in state.skipped || known.get(node.id)?.ended !== undefined) ? "judging" : "building";
}

export function createFlowApi({ existing, parts: given, projectDir, screen, seats: limit }: FlowApiParts): FlowApi {
  const seats = createSeats(limit);
  const open = async (): Promise<FlowParts> => ({ ...(await given()), seats });
  const load = async (id: string): Promise<{ store: Store; state: RequestState }> => {
    const store = await existing();
    const state = await store?.journal.get(requestView, STREAMS.request(id));
    if (store === undefined || state === undefined) throw notFound(id);
    return { store, state };
  };

  /** Every task of it, of its pieces too. */
  const tasksOf = (state: RequestState, known: ReadonlyMap<string, PipelineState>): string[] => [
    ...Object.values(state.tasks),
    ...[...known.values()].flatMap((piece) => piece.tasks),
  ];

  /** Of a task, or of everything that was done for it: those who were only asked something count too, whenever that was. */
  const costOf = async (store: Store, { created, createdAt, updatedAt, ended }: RequestState, task?: string) => {
    const toMs = ended === undefined ? Math.max(createdAt, (await open()).clock.now()) : updatedAt;
    const used = await taskUsage(store.journal, { session: created.id, task, fromMs: createdAt, toMs });
    return { input: used.inputTokens, output: used.outputTokens, calls: used.calls, usd: used.costNanoUsd / 1e9 };
  };

  /** Questions of the request, of its pieces and of their tasks. */
  const openOf = async (store: Store, state: RequestState, known: ReadonlyMap<string, PipelineState>): Promise<Detail["questions"]> => {
    if (state.ended !== undefined) return [];
    const { questions } = await open();
    const askers = [state.created.id, ...Object.values(state.pipelines), ...tasksOf(state, known)];
    const lists = await Promise.all(askers.map((asker) => questions.list(asker)));
    const waiting = lists.flat().filter(({ status }) => status === "open");
    const live: Detail["questions"] = [];
    for (const one of waiting) {
      const task = one.asker.kind === "task" ? await store.journal.get(taskView, STREAMS.task(one.asker.id)) : undefined;
      // A task that gave up asks too; its piece of work decides about that by itself.
      if (one.asker.kind !== "task" || task?.why === "agent_asks" || task?.why === "waits_for_answer" || task?.why === "checks_cannot_run")
        live.push({ id: one.id, text: one.message });
    }
    return live;
  };

  const summary = async (
    store: Store,
    state: RequestState,
  ): Promise<{
    summary: Summary;
    known: Map<string, PipelineState>;
    questions: Detail["questions"];
    cost: Awaited<ReturnType<typeof costOf>>;
  }> => {
    const { created } = state;
    const known = await pipelinesOf({ store }, state);
    const questions = await openOf(store, state, known);
    const cost = await costOf(store, state);
    const held = await store.work.holder(STREAMS.request(created.id));
    const pieces = await Promise.all(Object.values(state.pipelines).map((id) => store.work.holder(STREAMS.pipeline(id))));
    return {
      known,
      questions,
      cost,
      summary: {
        id: created.id,
        words: goalOf(state.intent),
        status: statusOf(state, known, questions.length > 0),
        running: held !== undefined || pieces.some((one) => one !== undefined),
        created_at: state.createdAt,
        updated_at: Math.max(state.updatedAt, ...[...known.values()].map((piece) => piece.updatedAt)),
        pieces: state.nodes.length,
        merged: [...known.values()].filter((piece) => piece.merged !== undefined).length,
        cost_usd: cost.usd,
      },
    };
  };

  const detail = async (id: string): Promise<Detail> => {
    const { store, state } = await load(id);
    const { summary: shown, known, questions, cost } = await summary(store, state);
    const work: Piece[] = [];
    const blocked = blockedBy(state, known);
    for (const { id: node, title, assertions, after, files } of state.nodes) {
      const piece = known.get(node);
      work.push({
        id: node,
        title,
        assertions,
        after,
        files: piece?.merged?.files ?? files,
        ...stateOf(node, state, piece, blocked.get(node)),
        ...(await doingOf(store, piece)),
        attempt: piece?.attempt ?? 0,
        ...(piece === undefined ? {} : { pipeline: piece.opened.id }),
        tasks: piece?.tasks ?? [],
        cost_usd: (await Promise.all((piece?.tasks ?? []).map((task) => costOf(store, state, task)))).reduce(
          (sum, one) => sum + one.usd,
          0,
        ),
      });
    }
    const { created, classified, plan, shaped, ended } = state;
    const whole = state.tasks[purposeKey("inspect", state.repairs)];
    return {
      ...shown,
      intent: state.intent,
      earlier: state.earlier,
      approve: created.approve,
      ...(classified === undefined
        ? {}
        : {
            reading: { kind: classified.kind, confidence: classified.confidence, reading: classified.reading, by: classified.by },
          }),
      ...(shaped === undefined ? {} : { shape: { mode: shaped.mode, why: shaped.why } }),
      ...(plan === undefined
        ? {}
        : { plan: { version: plan.plan_version, approved: state.approved, plan: plan.plan, text: planText(plan.plan) } }),
      work,
      questions,
      findings: state.judged?.findings ?? [],
      usage: { input: cost.input, output: cost.output, calls: cost.calls },
      ...(whole === undefined ? {} : { whole }),
      ...(ended === undefined ? {} : { end: ended }),
    };
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
    await stopPieces(parts, state, reason, USER);
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
    async start(options) {
      if (options.words.trim() === "")
        throw new SylkError({
          code: "USAGE_EMPTY_GOAL",
          tier: "user_fixable",
          message: "a request needs words",
          fix: 'say what you want, e.g. sylk run "add a --json flag to the report command"',
        });
      const said = commandOf(options.words, []);
      if (said.kind !== "none") throw notARequest(options.words, said);
      const parts = await open();
      const id = newId("req", parts.clock.now());
      const all = (texts: readonly string[]): Promise<string[]> => Promise.all(texts.map((text) => screen(text)));
      const created = EVENTS.request.created.create(
        {
          id,
          intent: {
            revision: 1,
            words: await screen(options.words),
            constraints: await all(options.constraints),
            criteria: (await all(options.criteria)).map((text) => ({ source: "explicit", text })),
            said: [],
          },
          approve: options.approve,
          mode: options.mode,
          ...(options.model === undefined ? {} : { model: options.model }),
          profile: options.profile,
          checks: options.checks,
          ...(options.budget_usd === undefined ? {} : { budget_usd: options.budget_usd }),
        },
        { actor: USER },
      );
      await parts.store.journal.append(STREAMS.request(id), 0, [created]);
      return id;
    },
    async run(id, signal) {
      const parts = await open();
      const { state } = await load(id);
      await mustBeFree(parts.store, state);
      await driveRequest(parts, state, { signal });
      return detail(id);
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
      const known = await pipelinesOf({ store }, state);
      const asked = await openOf(store, state, known);
      if (statusOf(state, known, asked.length > 0) !== "planned") {
        await append(id, EVENTS.request.resumed.create({}, { actor: USER }));
        return toAll(await open(), state, "resume", (piece) => piece.paused);
      }
      // Going on with a plan is its approval.
      const { questions } = await open();
      for (const { id: question } of asked) await questions.answer(question, { kind: "chosen", value: "approve" }, USER);
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
    async fork(id, words) {
      const { state } = await load(id);
      const parts = await open();
      const { created, plan, integration } = state;
      const fresh = newId("req", parts.clock.now());
      const { intent: now } = state;
      const intent = words === undefined ? now : { ...created.intent, words: await screen(words) };
      const from = { request: id, ...(integration === undefined ? {} : { base: integration.base }) };
      await parts.store.journal.append(STREAMS.request(fresh), 0, [
        EVENTS.request.created.create({ ...created, id: fresh, intent, from }, { actor: USER }),
        // The same words have the same plan; whether it is carried out is decided anew.
        ...(plan === undefined || words !== undefined
          ? []
          : [EVENTS.request.planned.create({ ...plan, plan_version: 1 }, { actor: USER })]),
      ]);
      return fresh;
    },
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
      return Promise.all(found.map(async ({ state }) => (await summary(store, state)).summary));
    },
    async list(limit) {
      const store = await existing();
      if (store === undefined) return [];
      const rows = await store.journal.list(requestView, { prefix: "request/", reverse: true, ...(limit === undefined ? {} : { limit }) });
      return Promise.all(rows.map(async (row) => (await summary(store, row.state)).summary));
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
