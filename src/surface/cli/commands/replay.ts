import path from "node:path";
import { openCopy, type PermissionPolicy } from "../../../app/index.ts";
import { SylkError, systemClock, systemPaths, wording } from "../../../kernel/index.ts";
import type { Api, Result } from "../../../protocol/api/index.ts";
import { connectHere } from "../../connect.ts";
import type { CliContext, CommandModule } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { inCopy } from "../in-copy.ts";
import { asShown } from "../render-trust.ts";
import { runRequest } from "../run-request.ts";
import { visibleLine } from "../visible-text.ts";

type Recording = Result<"request.record">["recording"];
type Trust = Result<"trust.status">;

/** How two runs of one request differ, in words; nothing: they ended the same. */
function differences(recorded: Recording["end"], how: string, files: Recording["end"]["files"]): string[] {
  const paths = new Set([...Object.keys(recorded.files), ...Object.keys(files)]);
  const said = (hash: string | null | undefined): string => (hash === undefined ? "not changed" : hash === null ? "deleted" : "written");
  const ofFile = (file: string): string[] => {
    const [before, now] = [recorded.files[file], files[file]];
    if (before === now) return [];
    return [
      `${visibleLine(file)}: ${said(before) === said(now) ? "other content" : `${said(before)} when it was recorded, ${said(now)} now`}`,
    ];
  };
  return [
    ...(recorded.how === how ? [] : [`it ended ${recorded.how} when it was recorded, now it is ${how}`]),
    ...[...paths].toSorted().flatMap(ofFile),
  ];
}

async function readRecording(cli: CliContext, file: string): Promise<Recording & { commit: string }> {
  const { recording } = await cli.query({ type: "model.cassette", file });
  const commit = recording?.request.commit;
  if (recording !== undefined && commit !== undefined) return { ...recording, commit };
  throw new SylkError({
    code: "USAGE_REPLAY",
    tier: "user_fixable",
    message: `${file} ${recording === undefined ? "holds calls, but not the request they were made for" : "is of a request for which nothing was built: there is no state of the project it began from"}`,
    fix: recording === undefined ? "`sylk record` writes cassettes that can be played by themselves" : "record a request that was built",
  });
}

/** In a copy the project's own commands run as they do here: only where the user trusts them. */
async function trustHere(cli: CliContext): Promise<Trust["things"]> {
  const { state, things, project } = await cli.query({ type: "trust.status", checks: "all" });
  if (state === "trusted" || state === "nothing") return things;
  throw new SylkError({
    code: "USAGE_TRUST",
    tier: "user_fixable",
    message: `${project} is not trusted, and a replay runs what it brings`,
    fix: "look at `sylk trust status`, then `sylk trust`",
  });
}

/** A cassette may come from anywhere: what it wants run must be allowed here without a question. */
async function mustBeAllowed(cli: CliContext, checks: readonly string[], things: Trust["things"]): Promise<void> {
  for (const line of checks) {
    const isOurs = things.some(({ kind, name }) => kind === "check" && name === line);
    if (isOurs || (await cli.query({ type: "permission.check", role: "engineer", line })).verdict === "allow") continue;
    throw new SylkError({
      code: "USAGE_PERMISSION",
      tier: "user_fixable",
      message: `the cassette wants to run \`${line}\`, which is not allowed here`,
      fix: `if that is right, add --allow ${wording.shellWord(`line:${line}`)}`,
    });
  }
}

/** What the user lets commands do in this project, remembered or said now. */
async function policyOf(cli: CliContext): Promise<PermissionPolicy> {
  const { mode, allow = [], deny = [] } = cli.policy();
  const known = (await cli.query({ type: "permission.list" })).map(({ rules }) => rules);
  return {
    mode,
    allow: [...allow, ...known.flatMap(({ commands, lines }) => [...commands, ...lines.map((line) => `line:${line}`)])],
    deny: [...deny, ...known.flatMap((rules) => rules.deny_commands)],
  };
}

/** What the user's own settings keep from commands holds in a copy too, whose home knows nothing of them. */
async function boundsOf(cli: CliContext, project: string): Promise<{ hidden: string[]; env: Record<string, string> }> {
  const setting = async (name: string): Promise<unknown> =>
    (await cli.query({ type: "setting.get", key: `security.sandbox.${name}` })).value;
  const hidden = await setting("hidden");
  const { config, data, state, cache } = systemPaths.dirs({ env: cli.env, platform: process.platform });
  return {
    hidden: [
      ...(Array.isArray(hidden) ? hidden.map((name) => systemPaths.named(String(name), project, cli.env)) : []),
      config,
      data,
      state,
      cache,
    ],
    env: {
      ...((await setting("mode")) === "require" ? { SYLK_SECURITY_SANDBOX_MODE: "require" } : {}),
      ...((await setting("registries")) === false ? { SYLK_SECURITY_SANDBOX_REGISTRIES: "false" } : {}),
    },
  };
}

/** Only what is trusted here, word for word; what the copy brings beside it does not count. */
async function trustAlike(api: Api, known: Trust["things"]): Promise<void> {
  const { things } = await api.query({ type: "trust.status", checks: "all" });
  const alike = things.filter((one) => known.some(({ kind, name, hash }) => kind === one.kind && name === one.name && hash === one.hash));
  if (alike.length > 0) await api.send({ type: "trust.decide", answer: "yes", things: asShown(alike), earlier: "forget" });
}

async function replay(cli: CliContext, named: string, keep: boolean): Promise<void> {
  const { out, signal } = cli;
  const file = path.resolve(cli.cwd, named);
  const { request, end: recorded, commit } = await readRecording(cli, file);
  const things = await trustHere(cli);
  await mustBeAllowed(cli, request.checks, things);
  const { project } = await cli.query({ type: "trust.status", checks: "none" });
  const permissions = await policyOf(cli);
  const bounds = await boundsOf(cli, project);
  const folder = await openCopy({ project, commit }, { clock: systemClock, signal });
  const connection = await connectHere({
    cwd: folder.project,
    env: { ...cli.env, ...bounds.env, SYLK_HOME: folder.home, SYLK_TEAM_CLASSIFY: "false" },
    clock: systemClock,
    permissions,
    hidden: bounds.hidden,
  });
  const { api } = connection;
  try {
    await trustAlike(api, things);
    const { words, constraints, criteria, checks, mode, profile } = request;
    if (!out.json) out.note(`"${words}"\n${out.style("dim", `  at ${commit.slice(0, 12)} in ${folder.project}`)}\n`);
    const model = `replay/${file}?lenient`;
    const { id } = await api.send(
      { type: "request.start", options: { words, constraints, criteria, checks, approve: "auto", mode, model, profile } },
      signal,
    );
    const { status, end } = await runRequest(inCopy(cli, api), id, { gone: !keep });
    const files = end === undefined ? {} : (await api.query({ type: "request.record", id }, signal)).recording.end.files;
    const different = differences(recorded, status, files);
    const same = different.length === 0;
    out.result({ type: "replay", same, different, folder: keep ? folder.project : undefined }, () =>
      [
        same
          ? out.style("green", `it ended the same: ${status}, ${Object.keys(files).length} files with the same content`)
          : out.style("red", "it did not end the same:"),
        ...different.map((line) => `  ${line}`),
        keep ? `the copy is kept: ${folder.project}` : out.style("dim", "the copy is removed; --keep leaves it to look at"),
      ].join("\n"),
    );
    cli.setExit(same ? EXIT.success : EXIT.failure);
  } finally {
    await connection.close();
    if (!keep) await folder.drop();
  }
}

export const command: CommandModule = {
  build(command, cli) {
    command
      .argument("<file>", "a cassette that `sylk record` wrote")
      .option("--keep", "leave the copy there, to look at what was built")
      .addHelpText(
        "after",
        "\nThe recorded model builds the request once more, in a copy of this project as it was when the request began; trees, edits, tests\nand merges are real. It ends with 0 when the end is the same: how it ended, and every file with the same content; with 1 otherwise.\n\nExamples:\n  $ sylk replay tape.yaml\n  $ sylk replay tape.yaml --keep\n  $ sylk replay tape.yaml --json",
      )
      .action((file: string, flags: { keep?: boolean }) => replay(cli, file, flags.keep === true));
  },
};
