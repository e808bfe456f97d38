/**
 * The project's tests, but fewer: one file, one name, or those that belong to changed files (FMT-070, FMT-071). A runner
 * that can find the tests of a file itself is asked to; otherwise their names tell.
 */
import path from "node:path";
import { matchesGlob } from "node:path";
import { toCommandLine } from "../workspace/index.ts";
import { toolCommand, toolFor } from "./discover/tool-command.ts";
import type { ToolChoice, ToolDiscovery } from "./discover/types.ts";

export type TestScope =
  | { kind: "named"; file?: string | undefined; name?: string | undefined }
  | { kind: "changed"; files: readonly string[]; all: readonly string[] }
  /** All of them, without what else stands before them in this command of the project. */
  | { kind: "alone"; command: string };

export interface NarrowTests {
  argv: string[];
  /** Folder to run in, relative to the project. */
  cwd: string;
}

const MAX_FILES = 20;

function runnerOf(discovery: ToolDiscovery, file: string | undefined): ToolChoice | undefined {
  const choice = toolFor(discovery, "test_framework", file);
  return choice === undefined || choice.requiresUser || !choice.tool.installed ? undefined : choice;
}

function isTestOf(choice: ToolChoice, file: string): boolean {
  const { testFiles, testFolders } = choice.tool;
  const name = path.posix.basename(file);
  return (
    testFiles.some((pattern) => matchesGlob(pattern.includes("/") ? file : name, pattern)) ||
    testFolders.some((folder) => file.startsWith(`${folder}/`) || file.includes(`/${folder}/`))
  );
}

/** `a.test.ts`, `a_test.go`, `test_a.py`, `a.spec.js` and `a.ts` are all about `a`. */
function subjectOf(file: string): string {
  const stem = path.posix.basename(file).replace(/\.\w+$/u, "");
  return stem.replace(/[._-](?:test|tests|spec)$|^test_|Tests?$/iu, "").toLowerCase();
}

/** Tests among all files that by their names belong to the changed ones, and changed tests themselves. */
function testsByName(choice: ToolChoice, files: readonly string[], all: readonly string[]): string[] {
  const subjects = new Set(files.map(subjectOf));
  return all.filter((file) => isTestOf(choice, file) && (files.includes(file) || subjects.has(subjectOf(file))));
}

/** The same command for more files, where it takes them at its end. */
function withMore(command: NarrowTests, template: readonly string[] | undefined, files: readonly string[]): NarrowTests {
  if (template?.at(-1) !== "$FILE") return command;
  return {
    ...command,
    argv: [
      ...command.argv,
      ...files.slice(0, MAX_FILES - 1).map((file) => path.posix.relative(command.cwd === "." ? "" : command.cwd, file)),
    ],
  };
}

/** A script of the project, or several commands in a row: what runs the tests may be only a part of it. */
function linesIn(discovery: ToolDiscovery, command: string): string[] {
  const script = discovery.scripts.find((one) => one.command.join(" ") === command);
  return script === undefined && !command.includes("&&") ? [] : (script?.line ?? command).split("&&");
}

/** As the project's own line runs them, where that is plain; else as the runner is usually run. */
function alone(discovery: ToolDiscovery, command: string): NarrowTests | undefined {
  const choice = runnerOf(discovery, undefined);
  const usual = choice === undefined ? undefined : toolCommand(choice, "run");
  const lines = linesIn(discovery, command);
  if (usual === undefined || lines.length === 0 || usual.argv.join(" ") === command) return undefined;
  const [program = "", ...rest] = usual.argv;
  const own = lines
    .map((line) => toCommandLine(line))
    .flatMap((line) => (line?.kind === "direct" ? [line.argv] : []))
    .find(([name, ...words]) => path.basename(name) === path.basename(program) && rest.every((word, at) => words[at] === word));
  return { argv: [program, ...(own?.slice(1) ?? rest)], cwd: usual.cwd };
}

/** Undefined: the project's runner is not known, cannot do less, or nothing belongs to it. */
export function narrowTests(discovery: ToolDiscovery, scope: TestScope): NarrowTests | undefined {
  if (scope.kind === "alone") return alone(discovery, scope.command);
  if (scope.kind === "named") {
    const choice = runnerOf(discovery, scope.file);
    if (choice === undefined) return undefined;
    if (scope.name === undefined) return toolCommand(choice, "file", { file: scope.file });
    const named = toolCommand(choice, "single", { file: scope.file, test: scope.name });
    if (named !== undefined || scope.file !== undefined) return named;
    const template = (choice.tool.commands.single ?? []).filter((word) => word !== "$FILE");
    return toolCommand({ ...choice, tool: { ...choice.tool, commands: { single: template } } }, "single", { test: scope.name });
  }
  const [first] = scope.files;
  const choice = first === undefined ? undefined : runnerOf(discovery, first);
  if (first === undefined || choice === undefined) return undefined;
  const related = toolCommand(choice, "related", { file: first });
  if (related !== undefined) return withMore(related, choice.tool.commands.related, scope.files.slice(1));
  const [test, ...others] = testsByName(choice, scope.files, scope.all);
  const command = test === undefined ? undefined : toolCommand(choice, "file", { file: test });
  return command === undefined ? undefined : withMore(command, choice.tool.commands.file, others);
}
