/** Skills: making, checking, installing and finding them. */
import type { CollisionAnswer, ForgeTalk, SkillOptions } from "../../forge/index.ts";
import { SylkError } from "../../kernel/index.ts";
import type { CommandInput, LiveSink } from "../../protocol/api/index.ts";
import type { CommandHandlers, QueryHandlers } from "../create-api.ts";
import type { SkillApi } from "../skill-api.ts";
import { wire } from "./wire.ts";

export interface SkillParts {
  skills: SkillApi;
  live: LiveSink;
  /** Who can be asked in this process; every part may be missing. */
  local: ForgeTalk;
}

type Decided = Pick<CommandInput<"skill.resume">, "yes" | "on_collision">;

/** `name`, `name-2`, `name-3` … a free one is found by trying. */
function nextName(name: string): string {
  const match = /^(.*)-(\d+)$/.exec(name);
  return match === null ? `${name.slice(0, 61)}-2` : `${match[1]}-${Number(match[2]) + 1}`;
}

function answerTo(choice: NonNullable<Decided["on_collision"]>, name: string): CollisionAnswer {
  return choice === "rename" ? { kind: "rename", name: nextName(name) } : { kind: choice };
}

export function skillHandlers({ skills, live, local }: SkillParts) {
  const talk = ({ yes, on_collision: choice }: Decided): ForgeTalk => ({
    ...local,
    onPhase: (phase) => live({ type: "progress", about: "skill", what: phase }),
    ...(yes ? { gate: () => Promise.resolve({ kind: "approve" as const }) } : {}),
    ...(choice === undefined ? {} : { collision: (name: string) => Promise.resolve(answerTo(choice, name)) }),
  });
  const options = ({ targets, template, model, name, global, dry_run: dryRun }: CommandInput<"skill.import">): SkillOptions => ({
    targets,
    template,
    model: model === undefined ? skills.defaultModel() : (model ?? undefined),
    name,
    global,
    dryRun,
  });
  return {
    commands: {
      "skill.create": (input, signal) => skills.create(input.description, options({ from: "", ...input }), talk(input), signal),
      "skill.update": (input, signal) => skills.update(input.skill, input.change, options({ from: "", ...input }), talk(input), signal),
      "skill.extract": (input, signal) => skills.extract(input.from, options(input), talk(input), signal),
      "skill.import": (input, signal) => skills.import(input.from, options(input), talk(input), signal),
      "skill.resume": (input, signal) => skills.resume(input.run, { dryRun: input.dry_run }, talk(input), signal),
      "skill.discard": async ({ run, dry_run: dryRun }) => ({ run: await skills.discard(run, { dryRun }) }),
      "skill.remove": ({ skill, dry_run: dryRun, yes }, signal) =>
        skills.remove(
          skill,
          { dryRun },
          async ({ folders }) => {
            if (yes) return true;
            throw new SylkError({
              code: "SKILL_NEEDS_APPROVAL",
              tier: "user_fixable",
              message: `this would remove ${folders.map(({ folder }) => folder).join(", ")}`,
              fix: "pass --yes",
            });
          },
          signal,
        ),
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
