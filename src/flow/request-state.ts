/** A request as its stream tells it: the plan, the pieces of work, the result. */
import { canonicalJson, unreachable } from "../kernel/index.ts";
import type { View } from "../journal/index.ts";
import { EVENTS, decode, typesOf, type Payload } from "../protocol/events/index.ts";
import type { Intent, Plan } from "../protocol/plan/index.ts";
import { enriched, saidAlso, unwanted } from "./intent.ts";
import { checkSaidAlone, checksNamedIn } from "./named-check.ts";

type PlanNode = Plan["nodes"][number];

type Drafted = Payload<"plan.drafted">;

export interface RequestState {
  created: Payload<"request.created">;
  createdAt: number;
  updatedAt: number;
  /** What the person wants, as it stands now; every revision before it, the first one first. */
  intent: Intent;
  earlier: Intent[];
  /** How it is understood; undefined: it was not asked, or the user meant something else. */
  classified: Payload<"request.classified"> | undefined;
  /** Where it was understood wrongly, oldest first. */
  corrected: Payload<"request.corrected">[];
  /** What is known of the place, for the newest version of the plan or the next. */
  assessed: Payload<"request.assessed"> | undefined;
  /** Who would not answer it, and who was to do so instead. */
  hops: Payload<"request.rerouted">[];
  /** The newest version of the plan. */
  plan: Drafted | undefined;
  /** What the next version is to hear: why one could not be carried out, what the user said of it. */
  remarks: { plan_version: number; words: string; by: "check" | "user" }[];
  /** Versions since the user last spoke that could not be carried out; whether the newest is the one before once more. */
  refusals: number;
  isRepeated: boolean;
  approved: boolean;
  /** How often the person added something; while the plan is changed for it, the one before and what had been said by then. */
  additions: number;
  amending: { plan: Drafted; said: number } | undefined;
  /** What the person added and no plan could be made for, although nobody rejected one. */
  unbuilt: { words: string; why: string }[];
  /** Commands of the plan that the user allowed with it. */
  allowed: string[];
  shaped: Payload<"request.shaped"> | undefined;
  /** Tasks of the request itself, by purpose and round. */
  tasks: Record<string, string>;
  /** How the checks stand before anything is built; how commands of the plan do. */
  baseline: Payload<"request.measured"> | undefined;
  tried: Payload<"plan.tried">["today"];
  /** Commands that words name as checks; those of them the person gave when asked for one; whether that was asked. */
  named: string[];
  given: string[];
  checkAsked: boolean;
  integration: Payload<"request.integration_opened"> | undefined;
  /** Every piece of work there is, repairs included, and the run of each. */
  nodes: PlanNode[];
  pipelines: Record<string, string>;
  skipped: Record<string, string>;
  /** Of those left out, what others need not wait for; by piece that was planned anew, what stands in its place. */
  goesOn: string[];
  replaced: Record<string, string[]>;
  /** Pieces that were told that something they need does not get there, and by what. */
  blocked: Record<string, string>;
  /** How often pieces were planned anew, what was said of the newest such plan, and how many such plans there were. */
  replans: number;
  replanRemarks: string[];
  replanRound: number;
  judged: Payload<"request.judged"> | undefined;
  repairs: number;
  /** Which look at the whole is the next. */
  looks: number;
  /** What it asked the user last. */
  waits: Payload<"request.waits"> | undefined;
  paused: boolean;
  /** By the user, on purpose, and nothing happened since. */
  stopped: boolean;
  resumedAt: number;
  ended: Payload<"request.ended"> | undefined;
}

export const purposeKey = (purpose: string, round: number): string => `${purpose} ${round}`;

function start(created: Payload<"request.created">, at: number): RequestState {
  return {
    created,
    createdAt: at,
    updatedAt: at,
    intent: created.intent,
    earlier: [],
    classified: undefined,
    corrected: [],
    assessed: undefined,
    hops: [],
    plan: undefined,
    remarks: [],
    refusals: 0,
    isRepeated: false,
    approved: false,
    additions: 0,
    amending: undefined,
    unbuilt: [],
    allowed: [],
    shaped: undefined,
    tasks: {},
    baseline: undefined,
    tried: [],
    named: checksNamedIn(created.intent.words),
    given: [],
    checkAsked: false,
    integration: undefined,
    nodes: [],
    pipelines: {},
    skipped: {},
    goesOn: [],
    replaced: {},
    blocked: {},
    replans: 0,
    replanRemarks: [],
    replanRound: 1,
    judged: undefined,
    repairs: 0,
    looks: 0,
    waits: undefined,
    paused: false,
    stopped: false,
    resumedAt: at,
    ended: undefined,
  };
}

/** The next revision; the one before is kept. What changes nothing is none. */
const revised = (state: RequestState, intent: Intent): RequestState =>
  intent.revision === state.intent.revision
    ? state
    : { ...state, intent, earlier: [...state.earlier, state.intent], named: withNamed(state, intent) };

/** A check that is named in what was said later stands beside one that was named at the start. */
const withNamed = ({ named, intent: { said: before } }: RequestState, { said }: Intent): string[] => [
  ...new Set([...named, ...said.slice(before.length).flatMap(({ words }) => checksNamedIn(words))]),
];

/** Asked about a piece, the person named a check and said nothing else. */
function gave(now: RequestState, { on, words }: Payload<"request.said">): RequestState {
  const command = on === "piece" ? checkSaidAlone(words) : undefined;
  return command === undefined ? now : { ...now, given: [...new Set([...now.given, command])] };
}

/** Whatever was drafted or is being drafted does not hear of it: the version after it does. */
function added(now: RequestState, words: string): RequestState {
  const version = now.plan?.plan_version ?? 0;
  const about = purposeKey("plan", version + 1) in now.tasks ? version + 1 : version;
  const said: RequestState = { ...revised(now, saidAlso(now.intent, { on: "addition", words })), additions: now.additions + 1 };
  if (about === 0) return said;
  return {
    ...said,
    approved: false,
    refusals: 0,
    remarks: [...now.remarks, { plan_version: about, words: `The person adds: ${words}`, by: "user" }],
    // From its approval on a plan stands until a changed one does, whether its pieces are written down yet or not.
    ...(now.plan !== undefined && (now.approved || now.amending !== undefined)
      ? { amending: now.amending ?? { plan: now.plan, said: now.intent.said.length } }
      : {}),
  };
}

/** The plan before stands again, under the newest number, and what was added is not wanted any more. */
function unchanged(now: RequestState, { plan_version: version, why, rejected }: Payload<"plan.unchanged">): RequestState {
  const { amending, intent } = now;
  if (amending === undefined) return now;
  const isAdded = ({ on }: Intent["said"][number], index: number): boolean => index >= amending.said && on === "addition";
  const said = intent.said.filter((one, index) => !isAdded(one, index));
  const unbuilt = rejected ? [] : intent.said.filter(isAdded).map(({ words }) => ({ words, why }));
  return {
    ...revised(now, { ...intent, revision: intent.revision + 1, said }),
    plan: { ...amending.plan, plan_version: version },
    approved: true,
    amending: undefined,
    unbuilt: [...now.unbuilt, ...unbuilt],
    resumedAt: now.updatedAt,
  };
}

/** Pieces that others stand for are left out, and nothing waits for them but for those. */
function replanned(now: RequestState, { replaces, nodes }: Payload<"plan.replanned">): RequestState {
  const ids = nodes.map(({ id }) => id);
  const each = <T>(value: T): Record<string, T> => Object.fromEntries(replaces.map((id) => [id, value]));
  return {
    ...now,
    nodes: [...now.nodes, ...nodes],
    skipped: { ...now.skipped, ...each(ids.length === 0 ? "not in the plan any more" : `planned anew as ${ids.join(", ")}`) },
    replaced: { ...now.replaced, ...each(ids) },
    replans: now.replans + 1,
    replanRemarks: [],
    replanRound: now.replanRound + 1,
    // What was looked at is not all of it any more.
    ...(now.amending === undefined ? {} : { amending: undefined, judged: undefined, looks: now.looks + 1, resumedAt: now.updatedAt }),
  };
}

const checksOf = ({
  checks,
  failing,
  silent,
}: Payload<"request.measured">): Pick<Payload<"request.measured">, "checks" | "failing" | "silent"> => ({
  checks,
  failing,
  silent,
});

export const requestView: View<RequestState> = {
  name: "request",
  version: 11,
  types: typesOf(EVENTS.request),
  key: (event) => event.stream,
  reduce(state, happened) {
    const event = decode(EVENTS.request, happened);
    if (event === undefined) return state;
    if (event.type === "request.created") return start(event.payload, event.at);
    if (state === undefined) return undefined;
    const now = { ...state, updatedAt: event.at, stopped: event.type === "request.stopped" };
    switch (event.type) {
      case "request.classified": {
        const { type } = event.payload;
        return { ...now, classified: event.payload, ...(type === undefined ? {} : { intent: { ...now.intent, type } }) };
      }
      case "request.corrected": {
        const { words, meant } = event.payload;
        return {
          ...revised(now, saidAlso(now.intent, { on: "reading", words })),
          classified: meant === undefined ? undefined : now.classified,
          corrected: [...now.corrected, event.payload],
        };
      }
      case "request.assessed":
        return { ...now, assessed: event.payload };
      case "request.rerouted":
        return { ...now, hops: [...now.hops, event.payload] };
      case "request.said":
        return gave(revised(now, saidAlso(now.intent, event.payload)), event.payload);
      case "request.added":
        return added(now, event.payload.words);
      case "plan.unchanged":
        return unchanged(now, event.payload);
      case "plan.removed":
        return revised(now, unwanted(now.intent, event.payload.text));
      case "plan.drafted":
        return { ...now, plan: event.payload, isRepeated: canonicalJson(now.plan?.plan ?? null) === canonicalJson(event.payload.plan) };
      case "plan.refused":
        return {
          ...now,
          approved: now.amending === undefined && now.approved,
          refusals: now.refusals + 1,
          remarks: [...now.remarks, { plan_version: event.payload.plan_version, words: event.payload.problems.join("; "), by: "check" }],
        };
      case "plan.commented":
        if (now.approved)
          return {
            ...revised(now, saidAlso(now.intent, { on: "plan", words: event.payload.words })),
            replanRemarks: [...now.replanRemarks, event.payload.words],
            replanRound: now.replanRound + 1,
          };
        return {
          ...revised(now, saidAlso(now.intent, { on: "plan", words: event.payload.words })),
          refusals: 0,
          remarks: [...now.remarks, { ...event.payload, by: "user" }],
        };
      case "plan.approved":
        // Something was said of it in the same moment: the next version hears that.
        if (now.remarks.some((one) => one.plan_version === event.payload.plan_version)) return now;
        return {
          ...(now.plan === undefined ? now : revised(now, enriched(now.intent, now.plan))),
          approved: true,
          allowed: now.amending === undefined ? event.payload.commands : [...new Set([...now.allowed, ...event.payload.commands])],
        };
      case "request.shaped":
        // Of the changed plan, once that is approved: then there is nothing more to change.
        return { ...now, shaped: event.payload, nodes: event.payload.nodes, amending: now.approved ? undefined : now.amending };
      case "request.task_opened":
        return { ...now, tasks: { ...now.tasks, [purposeKey(event.payload.purpose, event.payload.round)]: event.payload.task } };
      case "request.measured":
        return {
          ...now,
          baseline: event.payload,
          ...(now.integration === undefined ? {} : { integration: { ...now.integration, ...checksOf(event.payload) } }),
        };
      case "request.check_named": {
        const { command } = event.payload;
        if (command === "") return { ...now, checkAsked: true };
        return { ...now, checkAsked: true, named: [...new Set([...now.named, command])], given: [...now.given, command] };
      }
      case "plan.tried":
        return { ...now, tried: [...now.tried, ...event.payload.today] };
      case "request.integration_opened":
        return { ...now, integration: event.payload };
      case "pipeline.spawned":
        return { ...now, pipelines: { ...now.pipelines, [event.payload.node]: event.payload.pipeline } };
      case "pipeline.rested":
        return now;
      case "pipeline.skipped":
        return {
          ...now,
          skipped: { ...now.skipped, [event.payload.node]: event.payload.why },
          goesOn: event.payload.goes_on === true ? [...now.goesOn, event.payload.node] : now.goesOn,
        };
      case "pipeline.blocked":
        return { ...now, blocked: { ...now.blocked, [event.payload.node]: event.payload.by } };
      case "pipeline.unblocked": {
        const { [event.payload.node]: _free, ...blocked } = now.blocked;
        return { ...now, blocked };
      }
      case "plan.replanned":
        return replanned(now, event.payload);
      case "request.judged":
        return { ...now, judged: event.payload };
      case "request.repairing":
        return {
          ...now,
          repairs: event.payload.round,
          looks: now.looks + 1,
          nodes: [...now.nodes, ...event.payload.nodes],
          judged: undefined,
          replanRemarks: [],
          replanRound: now.replanRound + 1,
        };
      case "request.waits":
        return { ...now, waits: event.payload };
      case "request.budget_raised":
        return { ...now, created: { ...now.created, budget_usd: event.payload.usd } };
      case "request.pause_asked":
        return { ...now, paused: true };
      case "request.resumed":
        return { ...now, paused: false, resumedAt: event.at };
      case "request.rolled_back":
      case "request.stopped":
        return now;
      case "request.ended":
        return { ...now, ended: event.payload };
      default:
        return unreachable(event);
    }
  },
};
