/** A team without models, checks or disks: the flow's own runs, over tasks that do as a script says and trees that are objects. */
import { createQuestions, driveRun, type RunGround, type RunHandler, type Store } from "../../src/journal/index.ts";
import { pipelineView, requestView, type FlowLimits } from "../../src/flow/index.ts";
import type { FlowParts } from "../../src/flow/parts.ts";
import { createResources } from "../../src/session/resources.ts";
import { mistakeView } from "../../src/memory/learning/mistakes.ts";
import { EVENTS, STREAMS, SYSTEM, USER } from "../../src/protocol/events/index.ts";
import type { Plan } from "../../src/protocol/plan/index.ts";
import { taskView, type TaskState } from "../../src/step/index.ts";
import { messagesView } from "../../src/team/index.ts";
import type { MemoryRepository, Moment } from "./memory-repository.ts";

export type TaskFate = "works" | "freezes" | "wrong" | "gives up";

export interface FlowScript {
  plan: Plan;
  /** What is handed in once the person wanted more; `merged`: the numbers of what is merged. */
  changed?: (merged: readonly string[]) => Plan;
  /** What becomes of a builder's task when it is run. */
  fateOf: (task: { role: string; node: string; again: boolean }) => TaskFate;
}

export interface FlowHands extends RunGround {
  blobs: Store["blobs"];
  repository: MemoryRepository;
  script: (request: string) => FlowScript;
  limits: FlowLimits;
  moment?: Moment;
  /** Trees on a real disk, and what a builder does in them. */
  disk?: { trees: FlowParts["trees"]; build: (task: TaskState) => void };
  leaseMs?: number;
  seats?: number;
  memoryUsed?: () => number;
  memoryMark?: number;
}

/** Below any real one: time is the test's. */
export const FLOW_LIMITS: FlowLimits = {
  writers: 3,
  attempts: 3,
  repairs: 1,
  secondTry: "tactic",
  phaseMs: 60_000,
  pipelineMs: 600_000,
  mergeMs: 60_000,
  spawnMs: 10_000,
  modelMs: 60_000,
  classify: false,
  askBelow: 0.7,
};

const WRONG = "wrong";
const PASSES = { name: "check", command: "check", passed: true, exit: 0, summary: "fine", signature: "" };
const BY = { actor: SYSTEM.engine };

const idle: Moment = () => Promise.resolve();

export function flowHands(hands: FlowHands): FlowParts {
  const { journal, work, clock, repository, limits, moment = idle } = hands;
  const ground = { journal, work, clock };
  const questions = createQuestions({
    journal: () => Promise.resolve(journal),
    clock,
    attended: false,
    redact: (text) => text,
    screen: (text) => Promise.resolve(text),
  });
  const tree = (id: string) => repository.handle(id, moment);

  const writeAll = async (id: string, texts: readonly [string, string][]): Promise<void> => {
    for (const [file, text] of texts) {
      await moment(`write ${file} in ${id}`);
      repository.write(id, file, text);
      await moment(`wrote ${file} in ${id}`);
    }
  };

  const build = async (state: TaskState, fate: TaskFate): Promise<void> => {
    const { created } = state;
    if (hands.disk !== undefined) return hands.disk.build(state);
    if (created.place.kind !== "tree") return;
    const id = created.place.tree;
    if (created.role === "reconciler") {
      const marked = [...repository.tree(id).files].filter(([, text]) => text.startsWith("<<<<<<<"));
      return writeAll(
        id,
        marked.map(([file, text]) => [file, text.replaceAll(/^(?:<{7}|={7}|>{7}).*\n/gmu, "")]),
      );
    }
    const { plan, changed } = hands.script(created.session);
    const node = [...plan.nodes, ...(changed?.([]).nodes ?? [])].find(({ title }) => title === nodeOf(created));
    const text = fate === "wrong" ? `${WRONG}\n` : `${created.session} ${node?.id ?? ""}\n`;
    return writeAll(id, node?.files.map((file) => [file, text]) ?? []);
  };

  const handler: RunHandler<TaskState> = {
    kind: "task",
    view: taskView,
    mayGoOn: ({ status }) => status !== "cancelled",
    async advance(run) {
      const { created, status } = run.state;
      if (status !== "running") return "done";
      const script = hands.script(created.session);
      const again = "what happened before" in created.inputs;
      const fate = script.fateOf({ role: created.role, node: nodeOf(created), again });
      await moment(`task ${created.id} ${fate}`);
      if (fate === "freezes") await new Promise<never>(() => undefined);
      await run.mustOwn();
      if (fate !== "gives up" && created.role !== "inspector" && created.role !== "architect") await build(run.state, fate);
      await run.append(
        EVENTS.task.decided.create(
          {
            step: 1,
            decision: fate === "gives up" ? "failed" : "complete",
            phase: created.phase,
            why: fate === "gives up" ? "failed" : "done",
            reason: fate,
            progress: true,
            limit: 10,
            report: "as the script says",
            verified: true,
            ...(created.role === "architect" ? { outputs: { plan: JSON.stringify(planFor(created, script)) } } : {}),
          },
          BY,
        ),
      );
      return "done";
    },
  };

  const tasks = {
    async create(wanted: Parameters<FlowParts["tasks"]["create"]>[0] & { id: string }) {
      const place = wanted.sharedTree ?? wanted.tree;
      const checks = wanted.checks === "own" ? [] : wanted.checks;
      const created = {
        id: wanted.id,
        session: wanted.session ?? "",
        goal: wanted.goal,
        type: wanted.type,
        role: wanted.role,
        criteria: [],
        constraints: [],
        checks: [...checks],
        rules: [],
        inputs: wanted.inputs ?? {},
        overview: "",
        model: "none",
        profile: "default",
        max_steps: null,
        place:
          place === undefined ? { kind: "project" as const, folder: "." } : { kind: "tree" as const, tree: place.id, folder: place.path },
        phase: "work",
      };
      await journal.append(STREAMS.task(wanted.id), 0, [EVENTS.task.created.create(created, BY)]);
    },
    run: (id: string, signal: AbortSignal) => driveRun(ground, handler, STREAMS.task(id), { signal, leaseMs: hands.leaseMs }),
    cancel: (id: string, reason: string) =>
      journal.append(STREAMS.task(id), "any", [EVENTS.task.cancelled.create({ reason }, { actor: USER })]),
    pause: () => Promise.resolve(),
    reopen: () => Promise.resolve(),
  };

  const trees = {
    idOf: (run: string) => `team_${run}`,
    async open(id: string, base: string | undefined): Promise<ReturnType<typeof tree>> {
      await moment(`open ${id}`);
      repository.open(id, base);
      return tree(id);
    },
    openApart: (id: string, base: string) => trees.open(id, base),
    drop: (id: string) => Promise.resolve(void repository.trees.delete(id)),
    find: async (id: string) => tree(id),
    standing: async () => repository.contentOf(repository.user),
    async commit({ id }: { id: string }, message: string) {
      await moment(`commit ${id}`);
      const commit = repository.commit(id, message);
      await moment(`committed ${id}`);
      return commit;
    },
    async bring(from: { id: string }, since: string, into: { id: string }, { marked }: { marked: boolean }) {
      const { writes, disputed } = repository.combine(repository.tree(from.id).files, since, repository.tree(into.id).files);
      if (disputed.length > 0 && !marked) return { kind: "conflicts", conflicts: disputed.map(([path]) => ({ path })) };
      await writeAll(into.id, [...writes, ...disputed]);
      return { kind: "brought", files: [...writes, ...disputed].map(([path]) => ({ path, how: "theirs" })) };
    },
    async discard(id: string) {
      await moment(`discard ${id}`);
      repository.discard(id);
    },
  };

  const taskTrees = {
    stands: () => Promise.resolve(undefined),
    withCopy(place: TaskState["created"]["place"]) {
      if (hands.disk !== undefined) return Promise.resolve([PASSES]);
      const files = place.kind === "tree" ? repository.tree(place.tree).files : repository.user;
      const passed = ![...files.values()].some((text) => text.startsWith(WRONG));
      return Promise.resolve([passed ? PASSES : { ...PASSES, passed, exit: 1, summary: WRONG }]);
    },
    async merge(task: string) {
      const { created } = (await journal.get(taskView, STREAMS.task(task))) as TaskState;
      const id = created.place.kind === "tree" ? created.place.tree : "";
      const { files, base } = repository.tree(id);
      const { writes, disputed } = repository.combine(files, base, repository.user);
      if (disputed.length > 0) return { kind: "conflicts", conflicts: disputed.map(([path]) => ({ path })) };
      await moment(`merge ${id} for the user`);
      repository.user = new Map([...repository.user, ...writes]);
      await moment(`merged ${id} for the user`);
      return { kind: "merged", files: repository.changed(files, base) };
    },
  };

  const engine = { log: { info: () => undefined, warn: () => undefined }, extensions: [], projectDir: "/nowhere" };
  return {
    store: { journal, work, blobs: hands.blobs },
    tasks,
    engine: () => Promise.resolve(engine),
    trees: hands.disk?.trees ?? trees,
    taskTrees,
    questions,
    clock,
    log: engine.log,
    ...createResources({
      seats: () => hands.seats ?? 100,
      memory: { used: hands.memoryUsed ?? (() => 0.5) },
      memoryMark: () => hands.memoryMark ?? 1,
    }),
    limits,
    health: (area: string) => Promise.resolve(sound(area)),
  } as unknown as FlowParts;
}

/** A place about which there is nothing to say. */
const sound = (area: string) => ({
  area,
  maturity: "GREENFIELD" as const,
  pattern_confidence: 0,
  test_coverage: null,
  debt_markers: 0,
  recommendation: "",
  indicators: {
    source_files: 0,
    read_files: 0,
    test_files: { unit: 0, integration: 0 },
    coverage: null,
    type_safety: { is_strict: null, any: 0, unknown: 0 },
    documentation: { documented: 0, has_readme: false },
  },
  summary: "nothing is there",
});

/** What a store must know for the flow's own runs. */
export const FLOW_VIEWS = [pipelineView, requestView, taskView, mistakeView, messagesView];

const nodeOf = ({ inputs }: TaskState["created"]): string => inputs["your part of it"]?.split("\n")[0] ?? "";

/** The plan as it is handed in: a first one, or one that is changed for what the person added. */
function planFor({ inputs }: TaskState["created"], { plan, changed }: FlowScript): Plan {
  const merged = inputs["pieces that are merged, and stay"];
  return merged === undefined || changed === undefined ? plan : changed(merged.match(/\bn\d+\b/gu) ?? []);
}

/** A request that goes on by itself, as `request.start` writes it. */
export function requestCreated(id: string, approve: "auto" | "ask" = "auto") {
  return EVENTS.request.created.create(
    {
      id,
      intent: { revision: 1, words: `what ${id} asks for`, constraints: [], criteria: [], said: [] },
      approve,
      mode: "team",
      profile: "default",
      checks: ["check"],
    },
    { actor: USER },
  );
}

/** Pieces that each write their own file, after those named, and shared files beside. */
export function planOfPieces(pieces: readonly { after?: readonly number[]; files?: readonly string[] }[], of = ""): Plan {
  return {
    summary: "as planned",
    assertions: pieces.map((_piece, index) => ({ id: `A${index + 1}`, text: "it is so", from: "user", shown_by: "inspection" })),
    nodes: pieces.map(({ after = [], files = [] }, index) => ({
      id: `n${index + 1}`,
      title: `piece ${index + 1}`,
      goal: "do it",
      assertions: [`A${index + 1}`],
      after: after.map((one) => `n${one}`),
      files: [`${of}piece${index + 1}.txt`, ...files],
    })),
    deferred: [],
    left: [],
  };
}
