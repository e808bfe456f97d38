/** How a command that writes a skill goes on: what its flags decide, and what a person is asked. */
import { COLLISION_CHOICES, type SkillConduct, type SkillOutcome } from "../../app/index.ts";
import { isSylkError, SylkError } from "../../kernel/index.ts";
import type { CliContext } from "./command.ts";
import { withQuestions } from "./answer-inline.ts";
import { askText, askYesNo } from "./prompts.ts";

export interface ConductFlags {
  yes?: boolean;
  onCollision?: string;
}

export function conductOf(cli: CliContext, flags: ConductFlags): SkillConduct {
  const { onCollision: wanted } = flags;
  const onCollision = COLLISION_CHOICES.find((choice) => choice === wanted);
  if (wanted !== undefined && onCollision === undefined)
    throw new SylkError({
      code: "USAGE_ON_COLLISION",
      tier: "user_fixable",
      message: `--on-collision cannot be ${wanted}`,
      fix: `one of ${COLLISION_CHOICES.join(", ")}`,
    });
  return { approve: flags.yes === true, onCollision, onPhase: (phase) => cli.out.progress(`${phase} …`) };
}

async function askDescription(cli: CliContext): Promise<string | undefined> {
  cli.out.progress("");
  return askText({
    message: "What should the skill do?",
    placeholder: "review SQL migrations for locking problems",
    validate: (value) => (value.trim() === "" ? "one sentence is enough" : undefined),
  });
}

/** Without a description a person is asked for one; after one that did not work, for another. */
export async function createWithPerson(
  cli: CliContext,
  description: string | undefined,
  create: (wish: string | undefined) => Promise<SkillOutcome>,
  conduct: SkillConduct,
): Promise<SkillOutcome> {
  const { skills } = await cli.app();
  const wish = description ?? (cli.attended ? await askDescription(cli) : undefined);
  let work = (): Promise<SkillOutcome> => create(wish);
  for (;;) {
    try {
      return await withQuestions(cli, work);
    } catch (error) {
      const run = isSylkError(error) ? error.details["rephrase"] : undefined;
      if (typeof run !== "string") throw error;
      cli.out.error(error);
      const again = (await askYesNo({ message: "Try again with another description?" })) === true ? await askDescription(cli) : undefined;
      if (again === undefined) {
        await skills.discard(run, { dryRun: false });
        throw error;
      }
      work = () => skills.rephrase(run, again, conduct, cli.signal);
    }
  }
}
