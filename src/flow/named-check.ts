/** A check that the person names in words: `the check is npx vitest run`. Anything less plain is no command. */

/** What a command that stands without quotes begins with. */
const PROGRAM =
  /^(?:\.{0,2}\/\S+|npx|npm|pnpm|pnpx|yarn|bunx?|deno|node|vitest|jest|mocha|python3?|pytest|tox|nox|uv|poetry|go|cargo|make|just|task|gradle|\.\/gradlew|mvn|dotnet|swift|mix|rake|bundle|rspec|composer|phpunit|php|ctest|bazel|sh|bash)(?:\s|$)/u;

const SAYS =
  /(?:^|[.;,:!?\n(]|\band|\bso|\bthat|\bplease)\s{0,9}(?:the|my|our) checks? (?:is|are|to run is|should be|must be)\s*:?\s*(?:`([^`\n]+)`|"([^"\n]+)"|'([^'\n]+)'|([^\n]+))/giu;

/** Up to where a sentence goes on or ends. */
const upToEnd = (text: string): string => text.split(/[;!?)](?:\s|$)|[.,](?:\s|$)|\s(?:and|because|since|not)\s/u, 1)[0]?.trim() ?? "";

const FENCE = /^ {0,3}(`{3,}|~{3,})/u;

/** Without what stands between fences, as what is piped in does: data, and not what the person says. */
function withoutFenced(words: string): string {
  let fence: string | undefined;
  return words
    .split("\n")
    .filter((line) => {
      const [, found] = FENCE.exec(line) ?? [];
      if (fence === undefined) fence = found;
      else if (found?.startsWith(fence) === true) fence = undefined;
      else return false;
      return found === undefined;
    })
    .join("\n");
}

export function checksNamedIn(words: string): string[] {
  return [...withoutFenced(words).matchAll(SAYS)].flatMap(([, ticked, double, single, bare = ""]) => {
    const command = (ticked ?? double ?? single)?.trim() ?? upToEnd(bare);
    return command !== "" && (bare === "" || PROGRAM.test(command)) ? [command] : [];
  });
}

/** The check of an answer that says nothing else: one line that nobody could have pasted without reading it. */
export function checkSaidAlone(words: string): string | undefined {
  const said = words.trim();
  const [command, ...more] = /^(?:the|my|our) check is [^\n]+$/iu.test(said) ? checksNamedIn(said) : [];
  return command !== undefined && more.length === 0 && plainly(said).endsWith(command) ? command : undefined;
}

const plainly = (text: string): string => text.replace(/[`"'.]+$/u, "");
