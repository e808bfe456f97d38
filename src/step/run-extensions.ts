/** Asks the extensions of an engine, in their order. */
import { once } from "../kernel/index.ts";
import type { Run } from "../journal/index.ts";
import { EVENTS, SYSTEM, type NewEvent, type Payload } from "../protocol/events/index.ts";
import { changesWorld, type Action, type ActionResult } from "./actions/action.ts";
import type { StepEngine } from "./engine.ts";
import type { Allowed, Given, NewTask, Notice, Reviewed, Vetted } from "./extension.ts";
import { shortLine } from "./context/fit-lines.ts";
import type { StepRun } from "./step-run.ts";
import type { MemoryEffect, RecordedChange } from "./task-facts.ts";
import type { TaskState } from "./task-state.ts";

export async function screened(engine: StepEngine, text: string): Promise<string> {
  let words = text;
  for (const extension of engine.extensions) words = (await extension.screen?.(words)) ?? words;
  return words;
}

export type WholeGiven = Required<Omit<Given, "said">> & Pick<Given, "said">;

/** Everything together, in the order of the extensions. */
export async function givenTo(engine: StepEngine, task: NewTask): Promise<WholeGiven> {
  const all: WholeGiven = { rules: [], inputs: {}, facts: {}, checks: [] };
  for (const extension of engine.extensions) {
    const given = await extension.given?.(task);
    all.rules = [...all.rules, ...(given?.rules ?? [])];
    all.checks = [...all.checks, ...(given?.checks ?? [])];
    all.said ??= given?.said;
    Object.assign(all.inputs, given?.inputs);
    Object.assign(all.facts, given?.facts);
  }
  return all;
}

export async function refusalOf(
  engine: StepEngine,
  call: { action: Action; args: unknown },
  task: Payload<"task.created">,
): Promise<string | undefined> {
  for (const extension of engine.extensions) {
    const refused = await extension.before?.(call, task);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

/** What the extensions make of a call. Arguments they change are arguments like any: checked again, and never a change where there was none. */
export async function allowed(
  run: Pick<StepRun, "engine" | "signal">,
  task: TaskState,
  { action, args }: { action: Action; args: unknown },
): Promise<Allowed> {
  let current = args;
  const notes: string[] = [];
  for (const extension of run.engine.extensions) {
    const said = await extension.allows?.({ action, args: current }, task, run.signal);
    if (said === undefined) continue;
    if (said.kind === "refused") return said;
    if (said.note !== undefined) notes.push(said.note);
    if (said.args === undefined) continue;
    if (changesWorld(action, said.args) !== changesWorld(action, args))
      return { kind: "refused", reason: `${extension.name} would make something else of it` };
    current = said.args;
    const refused = await refusalOf(run.engine, { action, args: current }, task.created);
    if (refused !== undefined) return { kind: "refused", reason: refused };
  }
  return { kind: "allowed", args: current, note: notes.length === 0 ? undefined : notes.join("\n") };
}

/** A result with what the extensions say of it. */
export async function reviewed(
  run: Pick<StepRun, "engine" | "texts" | "signal">,
  task: TaskState,
  { action, args, result }: { action: Action; args: unknown; result: ActionResult },
  note: string | undefined,
): Promise<ActionResult> {
  let told = await withWords(run, task, action, result, { note });
  if (result.outcome === "refused") return told;
  const { ok, outcome, summary } = result;
  for (const extension of run.engine.extensions) {
    const said = await extension.reviews?.({ action, args }, { ok, outcome, summary }, task, run.signal);
    if (said !== undefined) told = await withWords(run, task, action, told, said);
  }
  return told;
}

/** Longer words stand by themselves, in view. */
const ON_THE_LINE = 200;

async function withWords(
  { engine, texts }: Pick<StepRun, "engine" | "texts">,
  task: TaskState,
  { name }: Action,
  result: ActionResult,
  { failed, note }: Reviewed,
): Promise<ActionResult> {
  const words = [failed, note].flatMap((text) => (text === undefined || text.trim() === "" ? [] : [engine.redact(text.trim())]));
  if (words.length === 0) return result;
  const text = words.join("\n");
  const counted = failed === undefined ? result : { ...result, ok: false, outcome: "objected" };
  if (text.length <= ON_THE_LINE && !text.includes("\n")) return { ...counted, summary: `${result.summary}; ${text}` };
  const step = task.pending?.step ?? task.step + 1;
  const item = { key: `said:${name}`, kind: "action_result" as const, title: `said of ${name}`, pinned: false, step };
  return {
    ...counted,
    summary: `${result.summary}; ${shortLine(text, ON_THE_LINE)}`,
    effects: [...(result.effects ?? []), { op: "put", item: { ...item, content: await texts.put(text) } }],
  };
}

/** What the extensions say of something that is about to be done: the first refusal, or all notes. */
export async function vetted(
  run: Pick<StepRun, "engine" | "workspace" | "texts" | "signal">,
  task: TaskState,
  call: { action: Action; args: unknown },
  planned: readonly RecordedChange[],
): Promise<Vetted | undefined> {
  const textOf = async (hash: string): Promise<string> => Buffer.from(await run.texts.get(`blob:sha256:${hash}`)).toString("utf8");
  const files = once(() =>
    Promise.all(
      planned.flatMap(({ path, before, after }) =>
        after === null
          ? []
          : [
              (async () => ({
                path,
                before: before === null ? "" : ((await run.workspace.files.source(path, run.signal)) ?? ""),
                after: await textOf(after),
              }))(),
            ],
      ),
    ),
  );
  const notes: string[] = [];
  for (const extension of run.engine.extensions) {
    const said = await extension.vets?.({ ...call, files: files.get }, task, run.workspace, run.signal);
    if (said?.kind === "refused") return said;
    if (said !== undefined) notes.push(said.note);
  }
  return notes.length === 0 ? undefined : { kind: "noted", note: notes.join("; ") };
}

/** What the extensions say of a change, as parts of its result. */
export async function changeNews(
  run: Pick<StepRun, "engine" | "workspace" | "texts" | "signal">,
  task: TaskState,
  result: ActionResult,
): Promise<ActionResult> {
  const files = (result.files ?? []).map((file) => file.path);
  if (files.length === 0) return result;
  let told = result;
  for (const extension of run.engine.extensions) {
    const news = await extension.changed?.(task, run.workspace, files, run.signal);
    if (news === undefined) continue;
    const { key, title, lines } = news.item;
    const step = task.pending?.step ?? task.step + 1;
    const effect: MemoryEffect =
      lines.length === 0
        ? { op: "clear", key }
        : { op: "put", item: { key, kind: "action_result", title, content: await run.texts.put(lines.join("\n")), pinned: false, step } };
    const gone = lines.length === 0 && !task.memory.items.some((item) => item.key === key);
    told = {
      ...told,
      summary: news.summary === "" ? told.summary : `${told.summary}; ${news.summary}`,
      effects: gone ? (told.effects ?? []) : [...(told.effects ?? []), effect],
    };
  }
  return told;
}

async function tell(durable: Run<TaskState>, notices: readonly Notice[], facts: readonly NewEvent[]): Promise<void> {
  const { step } = durable.state;
  const told = notices.length === 0 ? [] : [EVENTS.task.noticed.create({ step, notices: [...notices] }, { actor: SYSTEM.engine })];
  if (told.length + facts.length > 0) await durable.append(...told, ...facts);
}

export async function tellBeginning(engine: StepEngine, durable: Run<TaskState>): Promise<void> {
  const notices: Notice[] = [];
  for (const extension of engine.extensions) notices.push(...((await extension.begins?.(durable.state)) ?? []));
  await tell(durable, notices, []);
}

export async function tellStep(engine: StepEngine, durable: Run<TaskState>): Promise<void> {
  const append = async (fact: NewEvent): Promise<void> => void (await durable.append(fact));
  for (const extension of engine.extensions) await extension.after?.(durable.state, append, durable.signal);
}

export async function tellRest(engine: StepEngine, durable: Run<TaskState>): Promise<void> {
  const notices: Notice[] = [];
  const facts: NewEvent[] = [];
  for (const extension of engine.extensions) {
    const left = await extension.rests?.(durable.state, durable.signal);
    notices.push(...(left?.notices ?? []));
    facts.push(...(left?.facts ?? []));
  }
  await tell(durable, notices, facts);
}
