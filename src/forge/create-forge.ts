/** The skill forge as one value: create, change, check, list and remove skills. */
import { accessSync, constants, existsSync, statSync } from "node:fs";
import path from "node:path";
import { isoTime, messageOf, newId, SylkError, type Clock, shortIds, wording } from "../kernel/index.ts";
import type { Redactor } from "../guard/index.ts";
import { driveRun, type Questions, type RunHandler, type Store } from "../journal/index.ts";
import { openRing, openRings, reopenRing, ringView, type DurableRing } from "../memory/index.ts";
import type { ModelGate } from "../model/index.ts";
import { checkSkill, type SkillReport } from "./check-skill.ts";
import { runPhases, startAgain, type SkillOutcome } from "./create-skill.ts";
import { forgeError } from "./forge-error.ts";
import { settleInterrupted } from "./install-skill.ts";
import { removeSkill } from "./remove-skill.ts";
import type { SkillHands } from "./skill-files.ts";
import { parseSkill, readSkillFolder } from "./read-skill.ts";
import type { RegisteredSkill } from "./skill-events.ts";
import { registeredSkills, registryDrift, skillDrift, writeRegistry, type Drift, type ListedSkill } from "./skill-registry.ts";
import { keptRequest, type RunRequest, type SkillConduct } from "./skill-run.ts";
import { createModelWriter, createTemplateWriter, mustBeName, type SkillWriter } from "./skill-writer.ts";
import { readSourceText } from "./source-text.ts";
import { chooseTargets, type Target } from "./targets.ts";
import { PHASES, preparedWindow, inputWindow, processingWindow, type PreparedWindow } from "./windows.ts";
import { SYSTEM } from "../protocol/events/index.ts";

export interface ForgeParts {
  store: () => Promise<Store>;
  questions: Questions;
  gate: () => Promise<ModelGate>;
  clock: Clock;
  redactor: Redactor;
  project: string;
  /** Whether the user trusts this text of a file of the project. */
  trusts: (file: string, text: string) => boolean;
  dataDir: string;
  home: string;
  searchPath: string;
}

export interface SkillOptions {
  targets: readonly string[];
  template: string;
  /** Undefined: the plain template. */
  model: string | undefined;
  name?: string | undefined;
  global: boolean;
  dryRun: boolean;
  /** The id of the run; a new one when absent. */
  run?: string | undefined;
}

export interface OpenRun {
  run: string;
  phase: string;
  name: string;
  description: string;
}

export interface Forge {
  create(wish: string | undefined, options: SkillOptions, conduct: SkillConduct, signal: AbortSignal): Promise<SkillOutcome>;
  update(name: string, change: string, options: SkillOptions, conduct: SkillConduct, signal: AbortSignal): Promise<SkillOutcome>;
  /** A skill from existing documents or code. */
  extract(from: string, options: SkillOptions, conduct: SkillConduct, signal: AbortSignal): Promise<SkillOutcome>;
  import(from: string, options: SkillOptions, conduct: SkillConduct, signal: AbortSignal): Promise<SkillOutcome>;
  /** Commands that were interrupted, newest first. */
  open(): Promise<OpenRun[]>;
  resume(run: string | undefined, options: { dryRun: boolean }, conduct: SkillConduct, signal: AbortSignal): Promise<SkillOutcome>;
  /** Another description for a run whose first one did not work (SKF-008). */
  rephrase(run: string, wish: string, conduct: SkillConduct, signal: AbortSignal): Promise<SkillOutcome>;
  /** Drops a run, the newest when none is named; returns its id. */
  discard(run: string | undefined, options: { dryRun: boolean }): Promise<string>;
  validate(where: string): SkillReport;
  list(signal: AbortSignal): Promise<{ skills: ListedSkill[]; drift: Drift[]; undone: string[] }>;
  show(name: string): Promise<ListedSkill & { text: string }>;
  remove(
    name: string,
    options: { dryRun: boolean },
    signal: AbortSignal,
  ): Promise<{ removed: boolean; backup: string | null; folders: string[] }>;
}

const RING = "skill";

function mustBeWritable(folder: string): void {
  let dir = folder;
  while (!existsSync(dir)) dir = path.dirname(dir);
  try {
    if (!statSync(dir).isDirectory()) throw new Error(`${dir} is a file`);
    accessSync(dir, constants.W_OK);
  } catch (error) {
    throw forgeError("E-CREATE-009", `${folder} cannot be written to: ${messageOf(error)}`, { cause: error });
  }
}

export function createForge(parts: ForgeParts): Forge {
  const { clock, redactor, project, dataDir } = parts;
  const ringPlace = async (id: string) => ({ journal: (await parts.store()).journal, clock, kind: RING, id, actor: SYSTEM.forge });
  const handsOf = async (): Promise<SkillHands> => ({ store: await parts.store(), clock, redact: (text) => redactor.redact(text).text });
  const settle = async (signal: AbortSignal): Promise<string[]> => settleInterrupted(await handsOf(), signal);
  const writerFor = (model: string | null, run: string): SkillWriter =>
    model === null ? createTemplateWriter(parts) : createModelWriter(parts.gate, { model, run }, parts);

  /** The run of a ring: one process at a time, from the last checkpoint to the end. */
  const go = async (
    { id, stream }: DurableRing,
    request: RunRequest,
    { dryRun, resumed = false }: { dryRun: boolean; resumed?: boolean },
    conduct: SkillConduct,
    signal: AbortSignal,
  ): Promise<SkillOutcome> => {
    const store = await parts.store();
    const outcomes: SkillOutcome[] = [];
    const handler: RunHandler<unknown> = {
      kind: RING,
      view: ringView,
      async advance(durable) {
        const ring = await reopenRing({ ...(await ringPlace(id)), fence: durable.fence });
        if (ring === undefined) return "done";
        const writer = writerFor(preparedWindow.parse(ring.get(0)).model, id);
        const shared = { store, clock, redactor, project, trusts: parts.trusts, dataDir, questions: parts.questions };
        outcomes.push(await runPhases({ ...shared, ring, writer, conduct, signal: durable.signal, dryRun, resumed }, request));
        return "done";
      },
    };
    try {
      await driveRun({ journal: store.journal, work: store.work, clock }, handler, stream, { signal });
    } catch (error) {
      throw runsElsewhere(error, id);
    }
    const [outcome] = outcomes as [SkillOutcome];
    if (outcome.kind === "installed") await writeRegistry(store.journal, dataDir);
    return outcome;
  };

  /** Phase 0: where it goes, and that it can. */
  const begin = async (
    origin: PreparedWindow["origin"],
    options: SkillOptions,
    fixedTargets: readonly Target[] | undefined,
    request: RunRequest,
    conduct: SkillConduct,
    signal: AbortSignal,
  ): Promise<DurableRing> => {
    const wantedName = options.name === undefined ? null : mustBeName(options.name);
    const root = options.global ? parts.home : project;
    const targets = fixedTargets ?? chooseTargets(options.targets, project, parts.searchPath);
    const places = targets.map((target) => ({ target: target.name, folder: path.join(root, target.folder) }));
    if (!options.dryRun) for (const place of places) mustBeWritable(place.folder);
    await settle(signal);
    const ring = await openRing(await ringPlace(options.run ?? newId("run", clock.now())), PHASES.length);
    await ring.push(0, {
      origin,
      targets: places,
      global: options.global,
      model: options.model ?? null,
      wanted_name: wantedName,
      request: keptRequest(request, redactor),
    });
    conduct.onPhase?.("prepare");
    return ring;
  };

  /** An interrupted run by its id or a part of it; the newest when none is named. */
  const openRun = async (wanted: string | undefined): Promise<DurableRing> => {
    const open = await openRings((await parts.store()).journal, RING);
    const found = shortIds.match(wanted ?? open[0] ?? "", open);
    const ring = found.kind === "one" ? await reopenRing(await ringPlace(found.id)) : undefined;
    if (ring !== undefined) return ring;
    throw new SylkError({
      code: "SKILL_NOTHING_TO_RESUME",
      tier: "user_fixable",
      message: wanted === undefined ? "no skill command was interrupted" : `no interrupted run ${wanted}`,
      ...(open.length === 0 ? {} : { fix: `one of ${open.join(", ")}` }),
    });
  };

  const installed = async (name: string): Promise<RegisteredSkill> => {
    const skills = await registeredSkills((await parts.store()).journal);
    const skill = skills.find((one) => one.name === name);
    if (skill === undefined)
      throw new SylkError({
        code: "SKILL_NOT_FOUND",
        tier: "user_fixable",
        message: `the forge has installed no skill ${name}`,
        fix:
          skills.length === 0
            ? "`sylk skill list` shows what is there; `sylk skill create` makes one"
            : `one of ${skills.map((one) => one.name).join(", ")}`,
      });
    return skill;
  };

  const textOf = (skill: RegisteredSkill): ReturnType<typeof readSkillFolder> => {
    const there = skill.folders.find(({ folder }) => existsSync(path.join(folder, "SKILL.md")));
    if (there === undefined)
      throw new SylkError({
        code: "SKILL_NOT_FOUND",
        tier: "user_fixable",
        message: `${skill.name} is registered, but its folders are gone`,
        fix: `\`sylk skill remove ${skill.name}\`, or bring them back from version control`,
      });
    return readSkillFolder(there.folder);
  };

  return {
    async create(wish, options, conduct, signal) {
      const request = { wish, template: options.template, source: null };
      return go(await begin("create", options, undefined, request, conduct, signal), request, options, conduct, signal);
    },
    async update(name, change, options, conduct, signal) {
      const skill = await installed(name);
      const now = textOf(skill);
      const wanted = skill.folders.map(({ target }) => target);
      const targets = chooseTargets(wanted, project, parts.searchPath);
      const neutral = now.text.replaceAll("{{args}}", "$ARGUMENTS");
      const source = { text: options.model === undefined ? withChange(neutral, change) : neutral, files: now.files };
      const request = { wish: change, template: options.template, source };
      return go(await begin("update", { ...options, name }, targets, request, conduct, signal), request, options, conduct, signal);
    },
    async extract(from, options, conduct, signal) {
      const { wish, text, files } = readSourceText(path.resolve(project, from));
      const request = { wish, template: options.template, source: { text, files } };
      return go(await begin("extract", options, undefined, request, conduct, signal), request, options, conduct, signal);
    },
    async import(from, options, conduct, signal) {
      const { text, files, folder } = readSkillFolder(path.resolve(project, from));
      const skill = parseSkill(text);
      const name = options.name ?? (skill.name === "" ? path.basename(folder) : skill.name);
      const wish = skill.description === "" ? name.replaceAll("-", " ") : skill.description;
      const request = { wish, template: options.template, source: { text, files } };
      const own = { ...options, model: undefined, name };
      return go(await begin("import", own, undefined, request, conduct, signal), request, options, conduct, signal);
    },
    async open() {
      const { journal } = await parts.store();
      const runs: OpenRun[] = [];
      for (const id of await openRings(journal, RING)) {
        const ring = await reopenRing(await ringPlace(id));
        const phase = ring?.latest();
        if (ring === undefined || phase === undefined) continue;
        const description = ring.has(1) ? inputWindow.parse(ring.get(1)).description : "";
        const name = ring.has(2) ? processingWindow.parse(ring.get(2)).skill_name : "";
        runs.push({ run: id, phase: PHASES[phase] ?? "", name, description });
      }
      return runs;
    },
    async resume(wanted, { dryRun }, conduct, signal) {
      const ring = await openRun(wanted);
      await settle(signal);
      // Killed before its first checkpoint: nothing is known about it.
      if (!ring.has(0)) {
        await ring.close("empty");
        throw new SylkError({
          code: "SKILL_NOTHING_TO_RESUME",
          tier: "user_fixable",
          message: `${ring.id} ended before it began`,
          fix: "create the skill again",
        });
      }
      const kept = preparedWindow.parse(ring.get(0)).request ?? { wish: null, template: "base", source: null };
      return go(ring, { ...kept, wish: kept.wish ?? undefined }, { dryRun, resumed: true }, conduct, signal);
    },
    async rephrase(wanted, wish, conduct, signal) {
      const ring = await openRun(wanted);
      const kept = preparedWindow.parse(ring.get(0)).request;
      const request = { wish, template: kept?.template ?? "base", source: null };
      await startAgain(ring, request, redactor);
      return go(ring, request, { dryRun: false }, conduct, signal);
    },
    async discard(wanted, { dryRun }) {
      const ring = await openRun(wanted);
      if (!dryRun) await ring.close("discarded");
      return ring.id;
    },
    validate(where) {
      const { text, files, folder } = readSkillFolder(path.resolve(project, where));
      return checkSkill({ text, files, folder: path.basename(folder), redactor });
    },
    async list(signal) {
      const undone = await settle(signal);
      const skills = await registeredSkills((await parts.store()).journal);
      const listed = skills.map((skill) => ({ ...skill, drift: skillDrift(skill) }));
      return { skills: listed, drift: [...registryDrift(skills, dataDir), ...listed.flatMap((skill) => skill.drift)], undone };
    },
    async show(name) {
      const skill = await installed(name);
      return { ...skill, drift: skillDrift(skill), text: textOf(skill).text };
    },
    async remove(name, { dryRun }, signal) {
      await settle(signal);
      const skill = await installed(name);
      const folders = skill.folders.map(({ folder }) => folder).filter((folder) => existsSync(folder));
      if (dryRun) return { removed: false, backup: null, folders };
      const backup = path.join(dataDir, "backups", `${name}-${isoTime(clock.now()).replaceAll(/[:.]/g, "-")}.tar.gz`);
      const hands = await handsOf();
      await removeSkill(hands, { name, backup, folders }, signal);
      const { journal } = hands.store;
      await writeRegistry(journal, dataDir);
      return { removed: true, backup, folders };
    },
  };
}

function runsElsewhere(error: unknown, id: string): unknown {
  if (!SylkError.is(error, "RUN_TAKEN")) return error;
  return new SylkError({
    code: "SKILL_RUNS_ELSEWHERE",
    tier: "user_fixable",
    message: `${id} is being worked on by another process`,
    fix: "wait for it, or end it first",
    cause: error,
  });
}

/** Without a model a change becomes a section of its own, marked for a user. */
function withChange(text: string, change: string): string {
  const line = wording.oneLine(change).replace(/[.!?]+$/, "");
  const heading = `## How to ${line.charAt(0).toLowerCase()}${line.slice(1)}`;
  // Asked for twice, it is still one change.
  if (text.split("\n").some((one) => one.trim() === heading)) return text;
  return `${text.trimEnd()}\n\n${heading}\n\n> **To complete:** the steps of this change.\n`;
}
