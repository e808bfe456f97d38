/** The line of an output that says what failed. What package managers add says only that something did, and never counts. */

/** Names of tests that passed say nothing, whatever words are in them. */
const PASSED = /^\s*(?:ok \d|✓|✔|√|PASS\b|--- PASS|# Subtest:|test \S+ \.\.\. ok$)/;

/** What npm, pnpm, yarn and bun say of a script: its name, its line, that it failed, where a log is. */
const MANAGERS =
  /^\s*(?:(?:\[?ELIFECYCLE\]?|\[?ERR_PNPM_\w+\]?|npm (?:ERR!|error|warn|WARN|notice)|(?:pnpm|yarn|bun) (?:run|test)\b|yarn \w+ v\d)(?:\s|$)|error Command failed|error Command .* exited|info Visit https:\/\/yarnpkg|error: script ".*" exited|Done in \d|WARN\s+Local package\.json exists|> \S.*|\$ \S.*|Exit status \d+$)/;

/** A formatter's list of files. */
const LISTED = /^\s*\[(?:warn|error)\] \S+\.\w+(?::|$)/;

/** The line that tells most: a named error before a file in a list, and that before a mere mention of failing. */
export function firstTrouble(text: string): string {
  const lines = text.split("\n").filter((line) => /[a-z0-9]{2}/i.test(line) && !PASSED.test(line));
  const own = lines.filter((line) => !MANAGERS.test(line));
  const telling = own.length === 0 ? lines : own;
  const named = telling.find((line) => /(\w*Error|Exception|panic)\b.*:|\berror(\[|:| TS)/.test(line));
  const told =
    named ?? telling.find((line) => LISTED.test(line)) ?? telling.find((line) => /\b(error|fail(ed|ure)?|assert\w*|not ok)\b/i.test(line));
  return (told ?? telling.at(-1) ?? "").trim();
}
