/** Which files are tests, and which decide how tests are run. */
import type { WorkTree } from "../workspace/index.ts";

export const isTestFile = (file: string): boolean =>
  /(?:^|\/)(?:tests?|__tests__|spec)\/|(?:^|\/)test_[^/]+$|[._-](?:test|spec)s?\.[a-z]+$|_test\.[a-z]+$|(?:^|\/)conftest\.py$/iu.test(file);

/** What decides how tests are run. A builder that changes it changes its own judge. */
const JUDGING =
  /(?:^|\/)(?:vitest|jest|playwright|karma|cypress|ava|web-test-runner)\.config\.[a-z]+$|(?:^|\/)(?:\.mocharc(?:\.[a-z]+)?|\.nycrc|pytest\.ini|tox\.ini|noxfile\.py|phpunit\.xml|Rakefile|Makefile|justfile)$/u;

type Manifest = { scripts?: Record<string, string>; jest?: unknown; mocha?: unknown; ava?: unknown; vitest?: unknown };

/** Scripts that judge, and those they call, as far down as they go. */
function judgingScripts(scripts: Readonly<Record<string, string>>): [string, string][] {
  const reached = new Set(Object.keys(scripts).filter((name) => /test|check|lint/u.test(name)));
  for (const name of reached)
    for (const other of Object.keys(scripts))
      if ((scripts[name] ?? "").split(/[\s"';&|]+/u).includes(other) || other === `pre${name}` || other === `post${name}`)
        reached.add(other);
  return Object.entries(scripts).filter(([name]) => reached.has(name));
}

/** Ways in which tests are run that changed since a commit. */
export async function judgingChanged(tree: WorkTree, since: string, signal: AbortSignal): Promise<string[]> {
  const changes = await tree.changes(signal, since);
  const scriptsOf = async (blob: string): Promise<string> => {
    if (/^0+$/u.test(blob)) return "";
    try {
      const parsed = JSON.parse((await tree.content(blob)).toString("utf8")) as Manifest;
      const { scripts = {}, ...rest } = parsed;
      return JSON.stringify([judgingScripts(scripts), rest.jest, rest.mocha, rest.ava, rest.vitest]);
    } catch {
      return "";
    }
  };
  const found: string[] = [];
  for (const { path, oldBlob, newBlob, status } of changes) {
    if (JUDGING.test(path)) found.push(path);
    if (/(?:^|\/)package\.json$/u.test(path) && status === "modified" && (await scriptsOf(oldBlob)) !== (await scriptsOf(newBlob)))
      found.push(path);
  }
  return found;
}

/** Whether two texts differ in their form alone, as a formatter would have it. */
export function saysTheSame(a: string, b: string): boolean {
  const bare = (text: string): string => text.replaceAll(/[\s"'`;,()]/gu, "");
  return bare(a) === bare(b);
}

/** Lines that open a test or demand something in it. */
const DEMANDS = /\b(?:test|it|describe|assert\w*|expect|should)\b\s*[.(!]|\bdef test_|\bfunc Test|#\[test\]|@Test\b/u;

/** What a file of tests demanded on either side of a conflict, and no longer does. */
export function lostDemands(marked: string, combined: string): string[] {
  const kept = new Set(combined.split("\n").map((line) => line.trim()));
  return marked
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => DEMANDS.test(line) && !/^import\b/u.test(line) && !kept.has(line));
}
