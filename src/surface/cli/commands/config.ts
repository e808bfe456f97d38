import type { Command, Result } from "../../../protocol/api/index.ts";
import { asIs } from "../../wire-names.ts";
import { SylkError } from "../../../kernel/index.ts";
import type { CliContext, CommandModule } from "../command.ts";

type Listed = Result<"setting.list">;
type SettingScope = Command<"setting.set">["scope"];

const wireSetting = (setting: { value?: unknown }): object => ({ ...setting, value: asIs(setting.value) });

function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function scopeOf(options: { user?: boolean; local?: boolean; project?: boolean }): SettingScope {
  return options.project === true ? "project" : options.local === true ? "local" : "user";
}

/** A mistyped name would be told only by the next task; that a tier has no key yet is told then too, and early enough. */
async function mustBeModel(cli: CliContext, model: string): Promise<void> {
  try {
    await cli.query({ type: "model.resolve", model });
  } catch (error) {
    if (!SylkError.is(error, "MODEL_NONE_SET_UP")) throw error;
  }
}

export const command: CommandModule = {
  build(command, cli) {
    const { out } = cli;
    command.addHelpText(
      "after",
      "\nLayers, lowest first: built in, project (.sylk/config.yaml), user, personal project (--local), SYLK_* environment, command line.\n\nExamples:\n  $ sylk config\n  $ sylk config list\n  $ sylk config get log.level\n  $ sylk config set log.level debug\n  $ sylk config set storage.database.durability process --project\n  $ sylk config schema > config.schema.json",
    );
    const show = (list: Listed["settings"], warnings: Listed["warnings"]): void => {
      if (out.json) return out.data({ settings: list.map(wireSetting), warnings });
      const width = Math.max(0, ...list.map((setting) => setting.key.length));
      for (const setting of list) {
        const from = setting.layer === "defaults" ? "" : out.style("cyan", `  (${setting.layer})`);
        out.line(`${setting.key.padEnd(width)}  ${shown(setting.value)}${from}`);
      }
      for (const warning of warnings) {
        out.note(
          `${out.style("yellow", "warning:")} ${warning.source}: ${warning.path} ${warning.message}${warning.rejected_value === undefined ? "" : ` (was ${warning.rejected_value})`}`,
        );
      }
    };
    command
      .command("show", { isDefault: true })
      .description("what somebody set, and where; also without this word")
      .action(async () => {
        const { settings, warnings } = await cli.query({ type: "setting.list" });
        const set = settings.filter(({ layer }) => layer !== "defaults");
        show(set, warnings);
        const left = settings.length - set.length;
        out.note(out.style("dim", `${left} more are as they are built in: \`${out.word("config list")}\` shows them`));
      });
    command
      .command("list")
      .description("every setting, its value and where it comes from")
      .action(async () => {
        const { settings, warnings } = await cli.query({ type: "setting.list" });
        show(settings, warnings);
      });
    command
      .command("get <key>")
      .description("one setting")
      .action(async (key: string) => {
        const setting = await cli.query({ type: "setting.get", key });
        out.result(wireSetting(setting), () => shown(setting.value));
      });
    const edit = (
      name: string,
      description: string,
      run: (key: string, value: string | undefined, scope: SettingScope) => Promise<void>,
    ) => {
      const sub = command.command(name).description(description);
      sub
        .option("--user", "in your own configuration (default)")
        .option("--project", "in the project's shared file")
        .option("--local", "in your personal file of this project");
      sub.action(async (key: string, second: unknown) => run(key, typeof second === "string" ? second : undefined, scopeOf(sub.opts())));
    };
    edit("set <key> <value>", "change one setting", async (key, value, scope) => {
      if (key === "llm.default_model" && value !== undefined) await mustBeModel(cli, value);
      const changed = await cli.send({ type: "setting.set", key, value, scope });
      out.result({ key, ...wireSetting(changed) }, () => `${key} = ${shown(changed.value)}  (${changed.file})`);
    });
    edit("unset <key>", "take a setting out of a file", async (key, _value, scope) => {
      const changed = await cli.send({ type: "setting.set", key, scope });
      out.result({ key, file: changed.file }, () => `${key} removed from ${changed.file}`);
    });
    command
      .command("path")
      .description("where files are")
      .action(async () => {
        const paths = await cli.query({ type: "setting.paths" });
        out.result(paths, () =>
          Object.entries(paths)
            .map(([name, file]) => `${name.padEnd(16)}${file}`)
            .join("\n"),
        );
      });
    command
      .command("schema")
      .description("JSON Schema of the configuration, for editors")
      .action(async () => {
        const schema = await cli.query({ type: "setting.schema" });
        out.result(asIs(schema), () => JSON.stringify(schema, null, 2));
      });
  },
};
