/** Which files are tests, and which decide how tests are run. */
import type { WorkTree } from "../workspace/index.ts";

/** Folders of tests, and names as the frameworks of many languages know them. */
const TEST_FOLDER = /(?:^|\/)(?:tests?|__tests__|__mocks__|spec|e2e|cypress)\//iu;
const OF_PLATFORM = /(?:^|\/)[a-z]+Test\//u;
const TEST_NAME = /^(?:tests?|spec)\.[a-z]+$|^test[_-][^/]+$|[._-](?:test|spec|cy|e2e)s?\.[a-z]+$|_tests?\.[a-z]+$|^conftest\.py$/iu;
/** The name of a class of tests; a word that ends so by chance has no capital there. */
const TEST_CLASS = /[a-z0-9](?:Test|Tests|TestCase|Spec|Specs|IT)\.(?:java|kt|kts|scala|groovy|cs|fs|vb|php|swift|dart)$/u;

export function isTestFile(file: string): boolean {
  const name = file.slice(file.lastIndexOf("/") + 1);
  return TEST_FOLDER.test(file) || OF_PLATFORM.test(file) || TEST_NAME.test(name) || TEST_CLASS.test(name);
}

/** What decides how tests are run. A builder that changes it changes its own judge. */
const JUDGING =
  /(?:^|\/)(?:vitest|vite|jest|playwright|karma|cypress|ava|web-test-runner)\.(?:config|workspace|setup)\.[a-z]+$|(?:^|\/)(?:\.mocharc(?:\.[a-z]+)?|\.nycrc|conftest\.py|\.?pytest\.(?:ini|toml)|tox\.ini|noxfile\.py|sitecustomize\.py|usercustomize\.py|phpunit\.xml(?:\.dist)?|rakefile|(?:gnu)?makefile|justfile|taskfile\.ya?ml|bunfig\.toml|\.npmrc|\.rspec(?:-local)?|\.taprc|jasmine\.[a-z]+|\.cargo\/config(?:\.toml)?)$|\.(?:mk|runsettings)$/iu;

/** Files that say much else: only the parts that speak of tests judge. */
const PARTLY_JUDGING = /(?:^|\/)(?:pyproject\.toml|setup\.cfg)$/u;

/** The sections that speak of tests, as they are written. */
function testSections(text: string): string {
  return (
    text
      // What a program reads it with begins a line at these, and nowhere else.
      .split(/(?<=^|[\n\r])(?=\[)/u)
      .filter((section) => /^\[[^\]]*(?:pytest|coverage|tox|nose|hatch\.envs|pdm\.scripts|poe\.tasks|taskipy)/u.test(section))
      .map((section) => section.trim())
      .join("\n")
  );
}

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
  const textIn = async (blob: string): Promise<string> => (/^0+$/u.test(blob) ? "" : (await tree.content(blob)).toString("utf8"));
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
    if (PARTLY_JUDGING.test(path) && testSections(await textIn(oldBlob)) !== testSections(await textIn(newBlob))) found.push(path);
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
