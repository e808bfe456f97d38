import type { Command } from "commander";
import type { SkillOptions, SkillOutcome } from "../../../app/index.ts";
import { shortenIds, SylkError } from "../../../kernel/index.ts";
import type { CliContext, CommandModule } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { askYesNo } from "../prompts.ts";
import { renderOutcome, renderReport } from "../render-skill.ts";
import { withQuestions } from "../answer-inline.ts";
import { conductOf, createWithPerson, type ConductFlags } from "../skill-conduct.ts";

interface WriteFlags extends ConductFlags {
  target?: string;
  template?: string;
  name?: string;
  model: string | boolean;
  global?: boolean;
  dryRun?: boolean;
}

/** Options of every sub-command that writes a skill. */
function writing(command: Command): Command {
  return command
    .option("--target <names>", "for these CLIs, separated by commas; every one found when absent")
    .option("--name <name>", "a name of your own")
    .option("-m, --model <model>", "who writes the text; the configured model when absent")
    .option("--no-model", "fill the template only")
    .option("--global", "into your home folder instead of the project")
    .option("--dry-run", "show it, write nothing")
    .option("-y, --yes", "approve without being asked")
    .option("--on-collision <choice>", "when it exists already: overwrite (with a backup), rename or cancel");
}

function show(cli: CliContext, outcome: SkillOutcome): void {
  cli.out.result(outcome, () => renderOutcome(outcome, cli.out));
  if (outcome.kind === "rejected") cli.setExit(EXIT.failure);
}

async function optionsOf(cli: CliContext, flags: WriteFlags): Promise<SkillOptions> {
  const { skills } = await cli.app();
  return {
    targets: (flags.target ?? "")
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== ""),
    template: flags.template ?? "base",
    model: typeof flags.model === "string" ? flags.model : flags.model === false ? undefined : skills.defaultModel(),
    name: flags.name,
    global: flags.global === true,
    dryRun: flags.dryRun === true,
  };
}

export const command: CommandModule = {
  build(command, cli) {
    const { out } = cli;
    command.addHelpText(
      "after",
      '\nExamples:\n  $ sylk skill create "review SQL migrations for locking problems"\n  $ sylk skill create "write release notes" --target claude,agents --yes\n  $ sylk skill validate .claude/skills/notes-write\n  $ sylk skill resume',
    );
    writing(command.command("create [description]").description("make a skill from one sentence and install it"))
      .option("--template <name>", "the text to start from, of .sylk/skill-templates or the built-in ones", "base")
      .action(async (description: string | undefined, flags: WriteFlags) => {
        const { skills } = await cli.app();
        const options = await optionsOf(cli, flags);
        const conduct = conductOf(cli, flags);
        const create = (wish: string | undefined) => skills.create(wish, options, conduct, cli.signal);
        show(cli, await createWithPerson(cli, description, create, conduct));
      });
    writing(command.command("update <name> <change>").description("change an installed skill; what was there is backed up")).action(
      async (name: string, change: string, flags: WriteFlags) => {
        const { skills } = await cli.app();
        const options = await optionsOf(cli, flags);
        show(cli, await withQuestions(cli, () => skills.update(name, change, options, conductOf(cli, flags), cli.signal)));
      },
    );
    writing(command.command("extract <from>").description("make a skill from a document, a source file or a folder")).action(
      async (from: string, flags: WriteFlags) => {
        const { skills } = await cli.app();
        const options = await optionsOf(cli, flags);
        show(cli, await withQuestions(cli, () => skills.extract(from, options, conductOf(cli, flags), cli.signal)));
      },
    );
    writing(command.command("import <path>").description("check an existing skill and install it for every CLI")).action(
      async (from: string, flags: WriteFlags) => {
        const { skills } = await cli.app();
        const options = await optionsOf(cli, flags);
        show(cli, await withQuestions(cli, () => skills.import(from, options, conductOf(cli, flags), cli.signal)));
      },
    );
    command
      .command("resume [run]")
      .description("go on with a command that was interrupted or not approved yet")
      .option("--list", "only show what could be resumed")
      .option("--discard", "drop it instead")
      .option("--dry-run", "only show what it would install, or drop")
      .option("-y, --yes", "approve without being asked")
      .option("--on-collision <choice>", "when it exists already: overwrite, rename or cancel")
      .action(async (run: string | undefined, flags: ConductFlags & { list?: boolean; discard?: boolean; dryRun?: boolean }) => {
        const { skills } = await cli.app();
        const dryRun = flags.dryRun === true;
        if (flags.list === true) {
          const open = await skills.open();
          out.result(open, () =>
            open.length === 0
              ? "nothing was interrupted"
              : open.map((one) => `${shortenIds(one.run)}  after ${one.phase}  ${one.name || one.description}`).join("\n"),
          );
          return;
        }
        if (flags.discard === true) {
          const id = await skills.discard(run, { dryRun });
          out.result(dryRun ? { would_discard: id } : { discarded: id }, () => `${id} ${dryRun ? "would be " : ""}dropped`);
          return;
        }
        show(cli, await withQuestions(cli, () => skills.resume(run, { dryRun }, conductOf(cli, flags), cli.signal)));
      });
    command
      .command("validate <path>")
      .description("the thirteen-point check of a skill's folder or SKILL.md")
      .action(async (where: string) => {
        const report = (await cli.app()).skills.validate(where);
        out.result(report, () => renderReport(report, out));
        if (report.critical > 0) cli.setExit(EXIT.failure);
      });
    command
      .command("list")
      .description("installed skills and what drifted, and what agents find here")
      .action(async () => {
        const { skills } = await cli.app();
        const { skills: installed, drift, undone } = await skills.list(cli.signal);
        const found = skills.catalogue();
        out.result({ installed, drift, undone, found: found.skills, shadowed: found.shadowed, broken: found.broken }, () =>
          [
            ...installed.map(
              (skill) =>
                `${skill.name}  v${skill.version}  ${skill.folders.map(({ target }) => target).join(", ")}  ${out.style("dim", skill.description)}`,
            ),
            ...(installed.length === 0 ? ["no skill was installed by the forge"] : []),
            ...undone.map(
              (name) => `${out.style("yellow", "undone:")} an interrupted installation of ${name}; \`sylk skill resume\` finishes it`,
            ),
            ...drift.map(({ what, place }) => `${out.style("yellow", "drift:")} ${what.replaceAll("_", " ")}: ${place}`),
            ...found.skills
              .filter((skill) => !installed.some((one) => one.name === skill.name))
              .map((skill) => `${skill.name}  ${out.style("dim", `${skill.scope}: ${skill.description}`)}`),
            ...found.skills.filter((skill) => !skill.trusted).map((skill) => `${out.style("yellow", "not trusted:")} ${skill.folder}`),
            ...(found.skills.every((skill) => skill.trusted) ? [] : ["tasks do not load what is not trusted; read it, then `sylk trust`"]),
            ...found.shadowed.map((skill) => `${out.style("yellow", "shadowed:")} ${skill.folder}`),
            ...found.broken.map(({ folder, reason }) => `${out.style("yellow", "unusable:")} ${folder} ${reason}`),
          ].join("\n"),
        );
      });
    command
      .command("show <name>")
      .description("an installed skill whole")
      .action(async (name: string) => {
        const skill = await (await cli.app()).skills.show(name);
        out.result(skill, () =>
          [
            ...skill.drift.map(({ what, place }) => `${out.style("yellow", "drift:")} ${what.replaceAll("_", " ")}: ${place}`),
            skill.text.trimEnd(),
          ].join("\n"),
        );
      });
    command
      .command("remove <name>")
      .description("take an installed skill away everywhere, after a backup")
      .option("-y, --yes", "do not ask")
      .option("--dry-run", "only say what would be removed")
      .action(async (name: string, flags: { yes?: boolean; dryRun?: boolean }) => {
        const dryRun = flags.dryRun === true;
        const { skills } = await cli.app();
        const would = await skills.remove(name, { dryRun: true }, cli.signal);
        const removes = !dryRun && (await confirmRemoval(cli, would.folders, flags.yes === true));
        const result = removes ? await skills.remove(name, { dryRun: false }, cli.signal) : would;
        out.result(result, () =>
          dryRun
            ? ["would be removed, after a backup:", ...result.folders].join("\n")
            : result.removed
              ? `${name} removed; kept in ${result.backup}`
              : "nothing was removed",
        );
        if (!result.removed && !dryRun) cli.setExit(EXIT.failure);
      });
  },
};

async function confirmRemoval({ attended }: CliContext, folders: string[], yes: boolean): Promise<boolean> {
  if (yes) return true;
  if (!attended)
    throw new SylkError({
      code: "SKILL_NEEDS_APPROVAL",
      tier: "user_fixable",
      message: `this would remove ${folders.join(", ")}`,
      fix: "pass --yes",
    });
  return (await askYesNo({ message: `Remove ${folders.join(", ")}?` })) === true;
}
