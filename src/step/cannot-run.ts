/**
 * "Could not run" is not "failed": a program or a declared package is missing, or the command may not run here. What
 * the output says counts only as long as the check never ran: later, a missing package is the work's own doing.
 */
import path from "node:path";
import { howToInstall, isDeclared, type Missing } from "../tooling/index.ts";
import type { RunOutcome, Workspace } from "../workspace/index.ts";
import { shortLine } from "./context/fit-lines.ts";
import type { CheckResult } from "./task-facts.ts";

type CannotRun = NonNullable<CheckResult["could_not_run"]>;

const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;

const PACKAGES: readonly [family: string, pattern: RegExp][] = [
  ["js", /Cannot find (?:module|package) '((?!node:)[^'./\\][^']*)'/u],
  ["python", /No module named '?([\w.]+)'?/u],
];

/** Said by a manager that has nothing to work with. */
const MANAGERS: readonly [family: string, pattern: RegExp][] = [
  ["go", /no required module provides package \S+|missing go\.sum entry for .*|cannot find module providing package \S+/u],
  ["rust", /failed to (?:get|download|load source for) .* as a dependency.*|no matching package named .* found/u],
  ["ruby", /Could not find \S+ in (?:locally installed gems|any of the sources)|bundler: command not found: \S+/u],
  ["php", /vendor\/autoload\.php.*(?:No such file|Failed to open)/u],
];

const MISSING_SCRIPT = /Missing script: "[^"]+"|Command "[^"]+" not found/u;
/** As shells say it: `sh: 1: xo: not found`, `bash: xo: command not found`; make tells the number only. */
const MISSING_PROGRAM = /^(?:\S*sh: )?(?:line \d+: |\d+: )?([^\s:]+): (?:command )?not found\b/mu;
const MAKE_127 = /\bError 127\b/u;

function packageIn(text: string, root: string): { missing: Missing; why: string } | undefined {
  for (const [family, pattern] of PACKAGES) {
    const name = pattern.exec(text)?.[1];
    if (name === undefined) continue;
    const missing = { family, name };
    const runner = family === "python" && new RegExp(`^\\S*python[\\d.]*: No module named ${name}$`, "mu").test(text);
    if (runner || isDeclared(root, missing)) return { missing: { package: missing }, why: `the package ${name} is not installed` };
  }
  for (const [family, pattern] of MANAGERS) {
    const said = pattern.exec(text)?.[0];
    if (said !== undefined) return { missing: { package: { family, name: "" } }, why: shortLine(said.trim(), 160) };
  }
  return undefined;
}

function explain(why: string, root: string, missing: Missing): CannotRun {
  const install = howToInstall(root, missing);
  return { why, ...(install === undefined ? {} : { fix: install }) };
}

/** It is there for the user; what its name leads to is not seen inside. */
function hiddenBySandbox(program: string, { file, real }: { file: string; real: string }): CannotRun {
  const leads = real === file ? "" : `, which is ${real}`;
  return {
    why: `${program} was not found inside the sandbox, though it is there outside: ${file}${leads}; security.sandbox.writable lets commands see its folder`,
    fix: `sylk config set security.sandbox.writable '["${path.dirname(real)}"]'`,
  };
}

/** Undefined: it ran, and what it says counts. */
export function cannotRun(
  outcome: RunOutcome,
  text: string,
  { root, ranBefore, outside }: { root: string; ranBefore: boolean; outside?: Pick<Workspace["processes"], "outside">["outside"] },
): CannotRun | undefined {
  switch (outcome.kind) {
    case "refused":
      return { why: `it is not allowed here: ${outcome.reason}`, forbidden: true };
    case "not_started":
      return ranBefore ? undefined : explain(outcome.message, root, { program: outcome.message.split(" ")[0] });
    case "exited": {
      if (ranBefore || outcome.exitCode === 0 || outcome.exitCode === null) return undefined;
      const program = MISSING_PROGRAM.exec(text)?.[1];
      const hidden = program === undefined || outcome.sandbox === "none" ? undefined : outside?.(program);
      if (program !== undefined && hidden !== undefined) return hiddenBySandbox(program, hidden);
      if (outcome.exitCode === NOT_FOUND || MAKE_127.test(text))
        return explain(program === undefined ? "a program was not found" : `${program} was not found`, root, { program });
      if (outcome.exitCode === NOT_EXECUTABLE) return explain("a program may not be executed", root, { program });
      const script = MISSING_SCRIPT.exec(text)?.[0];
      if (script !== undefined) return { why: script };
      const found = packageIn(text, root);
      return found === undefined ? undefined : explain(found.why, root, found.missing);
    }
    case "timed_out":
    case "cancelled":
      return undefined;
  }
}
