/** Whether a plan can be carried out. What is wrong is said in words its writer can act on. */
import path from "node:path";
import { wording } from "../kernel/index.ts";
import { INPUT } from "./brief.ts";
import type { Draft } from "./intent.ts";

type PlanNode = Draft["nodes"][number];

/** Control characters and whatever else ends a line somewhere. */
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
const flat = (text: string): string => wording.oneLine(text.replaceAll(BREAKS, " "));

/** The same plan; what people are shown of it as one line is one line. */
export function inOneLine(draft: Draft): Draft {
  return {
    ...draft,
    summary: flat(draft.summary),
    assertions: draft.assertions.map((one) => ({ ...one, text: flat(one.text), ...(one.why === undefined ? {} : { why: flat(one.why) }) })),
    nodes: draft.nodes.map((node) => ({ ...node, title: flat(node.title) })),
    deferred: draft.deferred.map(flat),
  };
}

const twice = (ids: readonly string[]): string[] => [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))];

/** Nodes in the order of layers: each layer needs only those before it; undefined where they wait for each other. */
export function layersOf(nodes: readonly PlanNode[]): PlanNode[][] | undefined {
  const layers: PlanNode[][] = [];
  const done = new Set<string>();
  let left = [...nodes];
  while (left.length > 0) {
    const ready = left.filter((node) => node.after.every((id) => done.has(id)));
    if (ready.length === 0) return undefined;
    for (const { id } of ready) done.add(id);
    layers.push(ready);
    left = left.filter((node) => !done.has(node.id));
  }
  return layers;
}

/** Who waits for whom in a circle. */
function circle(nodes: readonly PlanNode[]): string {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const done = new Set<string>();
  for (let found = true; found;) {
    const free = nodes.filter((node) => !done.has(node.id) && node.after.every((id) => done.has(id)));
    found = free.length > 0;
    for (const { id } of free) done.add(id);
  }
  const path: string[] = [];
  let at = nodes.find((node) => !done.has(node.id));
  while (at !== undefined && !path.includes(at.id)) {
    path.push(at.id);
    const next = at.after.find((id) => !done.has(id));
    at = next === undefined ? undefined : byId.get(next);
  }
  return at === undefined ? path.join(" → ") : [...path.slice(path.indexOf(at.id)), at.id].join(" → ");
}

/** From the project's folder on, and not out of it. */
const isOutside = (file: string): boolean =>
  path.isAbsolute(file) ||
  path.win32.isAbsolute(file) ||
  file.startsWith("~") ||
  path.normalize(file.replaceAll("\\", "/")).startsWith("..");

const MOST_NAME_BYTES = 255;
/** What no system takes for the name of a file. */
const isNoName = (file: string): boolean =>
  /\p{Cc}/u.test(file) || file.split("/").some((part) => Buffer.byteLength(part) > MOST_NAME_BYTES);

const plain = (text: string): string => text.replaceAll(/\s+/gu, " ").trim().toLowerCase();

/** Whether an assertion says that it holds a criterion of the person's, or has its very words. */
function isCovered(criterion: string, number: number, assertions: Draft["assertions"]): boolean {
  return assertions.some((one) => one.criteria?.includes(number) === true || plain(one.text).includes(plain(criterion)));
}

/** Of what the person said it is done by, each must be somebody's to show. */
function criteriaProblems({ assertions }: Draft, criteria: readonly string[]): string[] {
  return [
    ...criteria.flatMap((text, index) =>
      isCovered(text, index + 1, assertions)
        ? []
        : [`no assertion holds criterion ${index + 1} of the person ("${text}"): write one and name ${index + 1} in its \`criteria\``],
    ),
    ...assertions.flatMap((one) =>
      (one.criteria ?? [])
        .filter((number) => number > criteria.length)
        .map((number) => `${one.id} names criterion ${number}, and the person gave ${criteria.length}`),
    ),
  ];
}

/** `criteria`: of the person; "elsewhere": this is part of a plan, and they are looked at with the whole of it. */
export function planProblems(plan: Draft, criteria: readonly string[] | "elsewhere"): string[] {
  const ids = plan.nodes.map((node) => node.id);
  const assertions = plan.assertions.map((one) => one.id);
  const cited = new Set(plan.nodes.flatMap((node) => node.assertions));
  const problems = [
    ...(plain(plan.summary) === "" ? ["it says nothing of what is to be done"] : []),
    ...plan.nodes.flatMap((node) => node.files.filter(isOutside).map((file) => `${node.id} names ${file}, which is not in the project`)),
    ...plan.nodes.flatMap((node) =>
      node.files.filter(isNoName).map((file) => `${node.id} names ${wording.oneLine(flat(file), 80)}, which no file can be called`),
    ),
    ...twice(ids).map((id) => `${id} stands twice`),
    ...twice(assertions).map((id) => `${id} stands twice`),
    ...plan.nodes.flatMap((node) => [
      ...node.after.filter((id) => !ids.includes(id)).map((id) => `${node.id} comes after ${id}, which is not in the plan`),
      ...node.assertions.filter((id) => !assertions.includes(id)).map((id) => `${node.id} cites ${id}, which is not in the plan`),
    ]),
    ...assertions.filter((id) => !cited.has(id)).map((id) => `no piece of work brings ${id} about`),
    ...plan.assertions
      .filter((one) => one.shown_by === "command" && one.command === undefined)
      .map((one) => `${one.id} is shown by a command, and none is named`),
    ...(criteria === "elsewhere" ? [] : criteriaProblems(plan, criteria)),
  ];
  if (problems.length > 0) return problems;
  return layersOf(plan.nodes) === undefined ? [`pieces of work wait for each other: ${circle(plan.nodes)}`] : [];
}

/** Of a plan for pieces that are planned anew: it brings about what those were to, no less and no more. */
function replanProblems(draft: Draft, wanted: readonly string[]): string[] {
  const ids = draft.assertions.map((one) => one.id);
  return [...wanted.filter((id) => !ids.includes(id)).map((id) => `${id} must be in this plan`), ...mendProblems(draft, wanted)];
}

/** Of a plan that mends what is built: it speaks of what was planned, and of as little of it as will do. */
function mendProblems({ assertions }: Draft, wanted: readonly string[]): string[] {
  return assertions
    .filter(({ id }) => !wanted.includes(id))
    .map(({ id }) => `${id} is not yours to plan here: keep to ${wanted.join(", ")}`);
}

/** What is wrong with a plan for what was planned before; undefined: it is a first plan. */
export function anewProblems(draft: Draft, inputs: Readonly<Record<string, string>>): string[] | undefined {
  const { [INPUT.anew]: anew, [INPUT.mend]: mend } = inputs;
  if (anew === undefined && mend === undefined) return undefined;
  const own = anew === undefined ? mendProblems(draft, (mend ?? "").split(", ")) : replanProblems(draft, anew.split(", "));
  return [...planProblems(draft, "elsewhere"), ...own];
}
