import type { Command as Word } from "commander";
import type { Command } from "../../../protocol/api/index.ts";
import { newId, SylkError, systemClock, shortIds } from "../../../kernel/index.ts";
import type { CliContext, CommandModule } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { renderOutcome, renderReport } from "../render-skill.ts";
import { conductOf, createWithPerson, makeSkill, type ConductFlags, type SkillOutcome } from "../skill-conduct.ts";

interface WriteFlags extends ConductFlags {
  target?: string;
  template?: string;
  name?: string;
  model: string | boolean;
  global?: boolean;
  dryRun?: boolean;
}

/** Options of every sub-command that writes a skill. */
function writing(command: Word): Word {
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

/** The id of an interrupted run from a part of it, the newest when none is named; what fits none goes as it is. */
async function wholeRun(cli: CliContext, wanted: string | undefined): Promise<string | undefined> {
  const open = (await cli.query({ type: "skill.open" })).map(({ run }) => run);
  const found = shortIds.match(wanted ?? open[0] ?? "", open);
  return found.kind === "one" ? found.id : wanted;
}

function writingOptions(cli: CliContext, flags: WriteFlags): Omit<Command<"skill.create">, "type" | "description"> & { run: string } {
  const { model } = flags;
  return {
    targets: (flags.target ?? "")
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== ""),
    template: flags.template ?? "base",
    ...(typeof model === "string" ? { model } : model ? {} : { model: null }),
    name: flags.name,
    global: flags.global === true,
    dry_run: flags.dryRun === true,
    run: newId("run", systemClock.now()),
    ...conductOf(cli, flags),
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
        const options = writingOptions(cli, flags);
        show(cli, await createWithPerson(cli, { description, ...options }));
      });
    writing(command.command("update <name> <change>").description("change an installed skill; what was there is backed up")).action(
      async (name: string, change: string, flags: WriteFlags) => {
        const options = writingOptions(cli, flags);
        show(cli, await makeSkill(cli, options.run, () => cli.send({ type: "skill.update", skill: name, change, ...options })));
      },
    );
    writing(command.command("extract <from>").description("make a skill from a document, a source file or a folder")).action(
      async (from: string, flags: WriteFlags) => {
        const options = writingOptions(cli, flags);
        show(cli, await makeSkill(cli, options.run, () => cli.send({ type: "skill.extract", from, ...options })));
      },
    );
    writing(command.command("import <path>").description("check an existing skill and install it for every CLI")).action(
      async (from: string, flags: WriteFlags) => {
        const options = writingOptions(cli, flags);
        show(cli, await makeSkill(cli, options.run, () => cli.send({ type: "skill.import", from, ...options })));
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
        const dryRun = flags.dryRun === true;
        if (flags.list === true) {
          const open = await cli.query({ type: "skill.open" });
          out.result(open, () =>
            open.length === 0
              ? "nothing was interrupted"
              : open.map((one) => `${shortIds.shorten(one.run)}  after ${one.phase}  ${one.name || one.description}`).join("\n"),
          );
          return;
        }
        if (flags.discard === true) {
          const { run: id } = await cli.send({ type: "skill.discard", run, dry_run: dryRun });
          out.result(dryRun ? { would_discard: id } : { discarded: id }, () => `${id} ${dryRun ? "would be " : ""}dropped`);
          return;
        }
        const whole = await wholeRun(cli, run);
        const conduct = conductOf(cli, flags);
        show(cli, await makeSkill(cli, whole, () => cli.send({ type: "skill.resume", run: whole, dry_run: dryRun, ...conduct })));
      });
    command
      .command("validate <path>")
      .description("the thirteen-point check of a skill's folder or SKILL.md")
      .action(async (where: string) => {
        const report = await cli.query({ type: "skill.validate", where });
        out.result(report, () => renderReport(report, out));
        if (report.critical > 0) cli.setExit(EXIT.failure);
      });
    command
      .command("list")
      .description("installed skills and what drifted, and what agents find here")
      .action(async () => {
        const listed = await cli.query({ type: "skill.list" });
        const { installed, drift, undone, found, shadowed, broken } = listed;
        out.result(listed, () =>
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
            ...found
              .filter((skill) => !installed.some((one) => one.name === skill.name))
              .map((skill) => `${skill.name}  ${out.style("dim", `${skill.scope}: ${skill.description}`)}`),
            ...found.filter((skill) => !skill.trusted).map((skill) => `${out.style("yellow", "not trusted:")} ${skill.folder}`),
            ...(found.every((skill) => skill.trusted) ? [] : ["tasks do not load what is not trusted; read it, then `sylk trust`"]),
            ...shadowed.map((skill) => `${out.style("yellow", "shadowed:")} ${skill.folder}`),
            ...broken.map(({ folder, reason }) => `${out.style("yellow", "unusable:")} ${folder} ${reason}`),
          ].join("\n"),
        );
      });
    command
      .command("show <name>")
      .description("an installed skill whole")
      .action(async (name: string) => {
        const skill = await cli.query({ type: "skill.show", skill: name });
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
        const would = await cli.send({ type: "skill.remove", skill: name, dry_run: true });
        const removes = !dryRun && (await confirmRemoval(cli, would.folders, flags.yes === true));
        const result = removes ? await cli.send({ type: "skill.remove", skill: name, dry_run: false }) : would;
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

async function confirmRemoval({ attended, ask }: CliContext, folders: string[], yes: boolean): Promise<boolean> {
  if (yes) return true;
  if (!attended)
    throw new SylkError({
      code: "SKILL_NEEDS_APPROVAL",
      tier: "user_fixable",
      message: `this would remove ${folders.join(", ")}`,
      fix: "pass --yes",
    });
  return (await ask.yesNo({ message: `Remove ${folders.join(", ")}?` })) === true;
}
