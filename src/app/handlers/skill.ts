/** Skills: making, checking, installing and finding them. */
import type { SkillConduct, SkillOptions } from "../../forge/index.ts";
import type { Questions } from "../../journal/index.ts";
import type { Input } from "../../protocol/api/index.ts";
import type { LiveHub } from "../../step/index.ts";
import type { CommandHandlers, QueryHandlers } from "../create-api.ts";
import type { SkillApi } from "../../forge/index.ts";
import { wire } from "./wire.ts";

export interface SkillParts {
  skills: () => Promise<SkillApi>;
  live: LiveHub["sink"];
  questions: Questions;
}

type Decided = Pick<Input<"skill.resume">, "run" | "yes" | "on_collision" | "attended">;

export function skillHandlers({ skills, live, questions }: SkillParts) {
  const options = (
    forge: SkillApi,
    { targets, template, model, name, global, dry_run: dryRun, run }: Input<"skill.import">,
  ): SkillOptions => ({
    targets,
    template,
    model: model === undefined ? forge.defaultModel() : (model ?? undefined),
    name,
    global,
    dryRun,
    run,
  });
  /** As it was decided beforehand; while it lasts, its sender is there when it said so. */
  const making = async <T>(
    { run, yes, on_collision: onCollision, attended }: Decided,
    make: (forge: SkillApi, conduct: SkillConduct) => Promise<T>,
  ): Promise<T> => {
    const forge = await skills();
    using _ = attended === true && run !== undefined ? questions.attend(run) : undefined;
    return await make(forge, { approve: yes, onCollision, onPhase: (phase) => live({ type: "progress", about: "skill", what: phase }) });
  };
  return {
    commands: {
      "skill.create": (input, signal) =>
        making(input, (forge, conduct) => forge.create(input.description, options(forge, { from: "", ...input }), conduct, signal)),
      "skill.update": (input, signal) =>
        making(input, (forge, conduct) => forge.update(input.skill, input.change, options(forge, { from: "", ...input }), conduct, signal)),
      "skill.extract": (input, signal) =>
        making(input, (forge, conduct) => forge.extract(input.from, options(forge, input), conduct, signal)),
      "skill.import": (input, signal) =>
        making(input, (forge, conduct) => forge.import(input.from, options(forge, input), conduct, signal)),
      "skill.resume": (input, signal) =>
        making(input, (forge, conduct) => forge.resume(input.run, { dryRun: input.dry_run }, conduct, signal)),
      "skill.rephrase": (input, signal) => making(input, (forge, conduct) => forge.rephrase(input.run, input.description, conduct, signal)),
      "skill.discard": async ({ run, dry_run: dryRun }) => ({ run: await (await skills()).discard(run, { dryRun }) }),
      "skill.remove": async ({ skill, dry_run: dryRun }, signal) => (await skills()).remove(skill, { dryRun }, signal),
    } satisfies Partial<CommandHandlers>,
    queries: {
      "skill.open": async () => (await skills()).open(),
      "skill.validate": async ({ where }) => (await skills()).validate(where),
      "skill.list": async (_, signal) => {
        const forge = await skills();
        const { skills: installed, drift, undone } = await forge.list(signal);
        const found = forge.catalogue();
        return { installed: wire(installed), drift, undone, found: found.skills, shadowed: found.shadowed, broken: found.broken };
      },
      "skill.show": async ({ skill }) => wire(await (await skills()).show(skill)),
    } satisfies Partial<QueryHandlers>,
  };
}
