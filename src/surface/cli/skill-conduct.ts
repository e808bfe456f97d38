/** How a command that writes a skill goes on: what its flags decide, and what a user is asked. */
import { SylkError } from "../../kernel/index.ts";
import type { Command, Result } from "../../protocol/api/index.ts";
import type { CliContext } from "./command.ts";
import { withQuestions } from "./answer-inline.ts";
import { withProgress } from "./progress.ts";
import { CHOICES } from "../../protocol/index.ts";

export type SkillOutcome = Result<"skill.create">;
export type SkillConduct = Pick<Command<"skill.resume">, "yes" | "on_collision" | "attended">;

export interface ConductFlags {
  yes?: boolean;
  onCollision?: string;
}

export function conductOf(cli: CliContext, flags: ConductFlags): SkillConduct {
  const { onCollision: wanted } = flags;
  const choice = CHOICES.collision.find((one) => one === wanted);
  if (wanted !== undefined && choice === undefined)
    throw new SylkError({
      code: "USAGE_ON_COLLISION",
      tier: "user_fixable",
      message: `--on-collision cannot be ${wanted}`,
      fix: `one of ${CHOICES.collision.join(", ")}`,
    });
  return { yes: flags.yes === true, on_collision: choice, attended: cli.attended };
}

/** Makes it, shows each phase, and asks what it asks meanwhile. */
export function makeSkill(cli: CliContext, run: string | undefined, work: () => Promise<SkillOutcome>): Promise<SkillOutcome> {
  return withProgress(
    cli,
    "skill",
    ({ what }) => cli.out.progress(`${what} …`),
    () => withQuestions(cli, run, work),
  );
}

async function askDescription(cli: CliContext): Promise<string | undefined> {
  cli.out.progress("");
  return cli.ask.text({
    message: "What should the skill do?",
    placeholder: "review SQL migrations for locking problems",
    validate: (value) => (value.trim() === "" ? "one sentence is enough" : undefined),
  });
}

/** Without a description a user is asked for one; after one that did not work, for another. */
export async function createWithPerson(
  cli: CliContext,
  asked: Omit<Command<"skill.create">, "type"> & { run: string },
): Promise<SkillOutcome> {
  const { run, yes, on_collision, attended } = asked;
  const description = asked.description ?? (cli.attended ? await askDescription(cli) : undefined);
  let work = (): Promise<SkillOutcome> => cli.send({ type: "skill.create", ...asked, description });
  for (;;) {
    try {
      return await makeSkill(cli, run, work);
    } catch (error) {
      if (!SylkError.is(error) || error.details["rephrase"] !== run) throw error;
      cli.out.error(error);
      const again =
        (await cli.ask.yesNo({ message: "Try again with another description?" })) === true ? await askDescription(cli) : undefined;
      if (again === undefined) {
        await cli.send({ type: "skill.discard", run, dry_run: false });
        throw error;
      }
      work = () => cli.send({ type: "skill.rephrase", run, description: again, yes, on_collision, attended });
    }
  }
}
