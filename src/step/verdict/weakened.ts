/** Tests that a task took away, or that its check no longer sees: what is left passes more easily, and shows nothing. */
import path from "node:path";
import { languageOf } from "../../code/index.ts";
import type { CheckResult } from "../task-facts.ts";
import type { TaskState } from "../task-state.ts";
import { changedFilesOf, isDocument } from "./changed-files.ts";

/** Checks that look at files and run no test. */
const NO_TESTS =
  /(?:^|[\s/:])(?:tsc|vue-tsc|[a-z-]*lint|biome|prettier|oxfmt|ruff|mypy|pyright|flake8|black|clippy|vet|staticcheck|type-?check|check-types|types|format)(?:$|[\s:])/iu;

/** Only programs and new tests were changed, so a runner that is silent when all is well may be what it was. */
function onlyPrograms(state: TaskState): boolean {
  const { sources, judges, newTests } = changedFilesOf(state);
  return (
    judges.every((file) => newTests.includes(file)) &&
    sources.every((file) => isDocument(file) || languageOf(path.extname(file)) !== undefined)
  );
}

/** In words; undefined when there are as many tests as before. */
export function weakened(state: TaskState, checks: readonly CheckResult[]): string | undefined {
  const started = new Map((state.atStart?.checks ?? []).map((check) => [check.name, check]));
  const ran = checks.filter((check) => check.could_not_run === undefined);
  for (const { name, tests: now } of ran) {
    const before = started.get(name)?.tests;
    if (before === undefined) continue;
    if (now === undefined && before.failed > 0 && onlyPrograms(state)) continue;
    const runs = now === undefined ? 0 : now.passed + now.failed;
    const ranBefore = before.passed + before.failed;
    const skipped = (now?.skipped ?? 0) - before.skipped;
    if (skipped > 0 && runs < ranBefore + skipped)
      return `${name}: ${skipped} more skipped than before (${before.skipped} → ${before.skipped + skipped})`;
    if (runs < ranBefore) return `${name}: fewer tests than before (${ranBefore} → ${runs})`;
  }
  const { deletedTests } = changedFilesOf(state);
  const commands = new Map(state.created.checks.map(({ name, command }) => [name, command]));
  const counts = ran.filter(({ name }) => !NO_TESTS.test(commands.get(name) ?? name));
  // Where one of them never said how many it ran, the test that is gone may have been one of its own.
  const counted = counts.length > 0 && counts.every(({ name, tests }) => tests !== undefined && started.get(name)?.tests !== undefined);
  return deletedTests.length === 0 || counted ? undefined : `${deletedTests.join(", ")} deleted`;
}
