/** Skills: making, checking, installing and finding them. */
import type { SkillConduct, SkillOptions } from "../../forge/index.ts";
import type { Questions } from "../../journal/index.ts";
import type { CommandInput, LiveSink } from "../../protocol/api/index.ts";
import type { CommandHandlers, QueryHandlers } from "../create-api.ts";
import type { SkillApi } from "../skill-api.ts";
import { wire } from "./wire.ts";

export interface SkillParts {
  skills: SkillApi;
  live: LiveSink;
  questions: Questions;
}

type Decided = Pick<CommandInput<"skill.resume">, "run" | "yes" | "on_collision" | "attended">;

export function skillHandlers({ skills, live, questions }: SkillParts) {
  const options = ({ targets, template, model, name, global, dry_run: dryRun, run }: CommandInput<"skill.import">): SkillOptions => ({
    targets,
    template,
    model: model === undefined ? skills.defaultModel() : (model ?? undefined),
    name,
    global,
    dryRun,
    run,
  });
  /** As it was decided beforehand; while it lasts, its sender is there when it said so. */
  const making = async <T>(
    { run, yes, on_collision: onCollision, attended }: Decided,
    make: (conduct: SkillConduct) => Promise<T>,
  ): Promise<T> => {
    using _ = attended === true && run !== undefined ? questions.attend(run) : undefined;
    return await make({ approve: yes, onCollision, onPhase: (phase) => live({ type: "progress", about: "skill", what: phase }) });
  };
  return {
    commands: {
      "skill.create": (input, signal) =>
        making(input, (conduct) => skills.create(input.description, options({ from: "", ...input }), conduct, signal)),
      "skill.update": (input, signal) =>
        making(input, (conduct) => skills.update(input.skill, input.change, options({ from: "", ...input }), conduct, signal)),
      "skill.extract": (input, signal) => making(input, (conduct) => skills.extract(input.from, options(input), conduct, signal)),
      "skill.import": (input, signal) => making(input, (conduct) => skills.import(input.from, options(input), conduct, signal)),
      "skill.resume": (input, signal) => making(input, (conduct) => skills.resume(input.run, { dryRun: input.dry_run }, conduct, signal)),
      "skill.rephrase": (input, signal) => making(input, (conduct) => skills.rephrase(input.run, input.description, conduct, signal)),
      "skill.discard": async ({ run, dry_run: dryRun }) => ({ run: await skills.discard(run, { dryRun }) }),
      "skill.remove": ({ skill, dry_run: dryRun }, signal) => skills.remove(skill, { dryRun }, signal),
    } satisfies Partial<CommandHandlers>,
    queries: {
      "skill.open": () => skills.open(),
      "skill.validate": async ({ where }) => skills.validate(where),
      "skill.list": async (_, signal) => {
        const { skills: installed, drift, undone } = await skills.list(signal);
        const found = skills.catalogue();
        return { installed: wire(installed), drift, undone, found: found.skills, shadowed: found.shadowed, broken: found.broken };
      },
      "skill.show": async ({ skill }) => wire(await skills.show(skill)),
    } satisfies Partial<QueryHandlers>,
  };
}
