/**
 * One pipeline or several: decided by rules, with the reason told. Splitting pays only where pieces are independent,
 * large enough and can be tested; a model may propose pieces, and never decides this.
 */
import { wording } from "../kernel/index.ts";
import type { Plan } from "../protocol/plan/index.ts";
import { layersOf } from "./check-plan.ts";

type PlanNode = Plan["nodes"][number];

/** Fewer files than this are quicker done by one. */
const MOST_SOLO_FILES = 3;
/**
 * Pieces of fewer files than this, on average, are done sooner by one, who writes so many in one answer: each piece pays
 * for its own tests, checks, review and merge. Seen on five public projects, the last with three independent pieces of
 * six files: 1.6 times the tokens, as many rounds, and 1.7 times the checks' time.
 */
const LEAST_PIECE_FILES = 10;
/**
 * A chain that is longer than this share of the work leaves too little to do side by side. Two independent pieces of nine
 * files each (half of the work a chain) took 1.6 times the tokens and as long as one builder on a public project: it
 * takes three.
 */
const MOST_CHAIN = 0.4;
/** A team costs at least so many pipelines. */
const TEAM_COST = 3;

export interface Circumstances {
  mode: "auto" | "solo" | "team";
  /** Whether any command says that something works. */
  hasChecks: boolean;
  /** What is left to spend, and what one pipeline has cost here; undefined: not known or not bounded. */
  budgetUsd: number | undefined;
  pipelineUsd: number | undefined;
}

export type Shape = { mode: "solo" | "team"; why: string };

const moduleOf = (file: string): string => file.split("/").slice(0, -1).slice(0, 3).join("/");
const weightOf = (node: PlanNode): number => Math.max(1, node.files.length);

/** The heaviest way through the plan. */
function chainOf(nodes: readonly PlanNode[]): number {
  const longest = new Map<string, number>();
  for (const layer of layersOf(nodes) ?? [])
    for (const node of layer) longest.set(node.id, weightOf(node) + Math.max(0, ...node.after.map((id) => longest.get(id) ?? 0)));
  return Math.max(0, ...longest.values());
}

/** Files that two pieces of work name which could run side by side. */
function sharedFiles(nodes: readonly PlanNode[]): string[] {
  const before = new Map<string, Set<string>>();
  for (const layer of layersOf(nodes) ?? [])
    for (const node of layer) before.set(node.id, new Set(node.after.flatMap((id) => [id, ...(before.get(id) ?? [])])));
  const ordered = (a: PlanNode, b: PlanNode): boolean => before.get(a.id)?.has(b.id) === true || before.get(b.id)?.has(a.id) === true;
  const shared = nodes.flatMap((a, index) =>
    nodes.slice(index + 1).flatMap((b) => (ordered(a, b) ? [] : a.files.filter((file) => b.files.includes(file)))),
  );
  return [...new Set(shared)];
}

function reasonForOne({ nodes }: Plan, now: Circumstances): string | undefined {
  if (nodes.length === 1) return "the plan is one piece of work";
  const files = [...new Set(nodes.flatMap((node) => node.files))];
  if (files.length > 0 && files.length <= MOST_SOLO_FILES) return `only ${files.length} file(s) change`;
  const modules = new Set(files.filter((file) => !/(?:^|\/)(?:tests?|__tests__|spec)\/|[._-](?:test|spec)\./u.test(file)).map(moduleOf));
  if (files.length > 0 && files.length <= 2 * MOST_SOLO_FILES && modules.size === 1)
    return `all of it is in ${[...modules][0] || "one folder"}`;
  if (files.length > 0 && files.length < nodes.length * LEAST_PIECE_FILES)
    return `${nodes.length} pieces of ${(files.length / nodes.length).toFixed(1).replace(/\.0$/u, "")} files each are sooner done by one`;
  if (!now.hasChecks) return "no check says whether a piece works by itself";
  const shared = sharedFiles(nodes);
  if (shared.length > 0) return `pieces that could run side by side change the same files (${shared.slice(0, 3).join(", ")})`;
  const work = nodes.reduce((sum, node) => sum + weightOf(node), 0);
  const chain = chainOf(nodes) / work;
  if (chain > MOST_CHAIN) return `${Math.round(chain * 100)} % of the work is one chain`;
  if (now.budgetUsd !== undefined && now.pipelineUsd !== undefined && now.budgetUsd < TEAM_COST * now.pipelineUsd)
    return `the budget of $${now.budgetUsd.toFixed(2)} is below three times what one piece costs`;
  return undefined;
}

export function soloOrTeam(plan: Plan, now: Circumstances): Shape {
  if (now.mode === "solo") return { mode: "solo", why: "you asked for one" };
  const reason = reasonForOne(plan, now);
  if (now.mode === "team" && plan.nodes.length > 1) return { mode: "team", why: "you asked for several" };
  return reason === undefined
    ? { mode: "team", why: `${plan.nodes.length} pieces of work, of which ${layersOf(plan.nodes)?.[0]?.length ?? 1} can begin at once` }
    : { mode: "solo", why: reason };
}

/** All pieces as one. */
export function asOne(plan: Plan): PlanNode[] {
  const [first] = plan.nodes;
  if (first === undefined || plan.nodes.length === 1) return plan.nodes;
  return [
    {
      id: "n1",
      title: wording.oneLine(plan.summary, 120),
      goal: plan.nodes
        .map((node, index) => `${index + 1}. ${node.title}: ${node.goal}`)
        .join("\n")
        .slice(0, 2_000),
      assertions: plan.assertions.map((one) => one.id),
      after: [],
      files: [...new Set(plan.nodes.flatMap((node) => node.files))].slice(0, 60),
    },
  ];
}
