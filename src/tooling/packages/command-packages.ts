/** The packages a command would add, as far as its words tell. Advice for whoever wrote it, no fence: what is hidden in a script is not seen. */
import { packageName, type Ecosystem, type PackageName } from "./package-name.ts";

interface Adding {
  ecosystem: Ecosystem;
  words: RegExp;
  /** Options that are followed by a value. */
  valued: RegExp;
}

const ADDING: readonly Adding[] = [
  {
    ecosystem: "npm",
    words: /^(?:npm (?:install|i|add)|(?:pnpm|yarn|bun) (?:add|i|install))$/u,
    valued: /^(?:--(?:prefix|registry|workspace|tag|filter|dir|cwd)|-[wCF])$/u,
  },
  {
    ecosystem: "python",
    words: /^(?:pip3? install|python3? -m pip install|uv (?:add|pip install)|(?:poetry|pdm) add|pipenv install)$/u,
    valued:
      /^(?:-[rceitfGg]|--(?:requirement|constraint|editable|index-url|extra-index-url|target|find-links|group|optional|extra|python|prefix|root|source))$/u,
  },
  {
    ecosystem: "rust",
    words: /^cargo add$/u,
    valued: /^(?:-[pF]|--(?:package|features|rename|vers|registry|path|git|branch|tag|rev|manifest-path|target))$/u,
  },
  { ecosystem: "go", words: /^go get$/u, valued: /^-(?:C|modfile|mod|tags)$/u },
];
/** Of these the name says nothing: it comes from elsewhere. */
const ELSEWHERE = /^--(?:git|path|registry|index-url|extra-index-url|find-links)$|^-[ife]$/u;
const MAX_WORDS = 5;

/** `name@1`, `name[extra]>=2`, `name==3` */
function bare(ecosystem: Ecosystem, word: string): string {
  if (ecosystem === "npm") return word.replace(/(?<=.)@[^/]*$/u, "");
  if (ecosystem === "python") return word.replace(/[[<>=!~;@ ].*$/u, "");
  return word.replace(/@.*$/u, "");
}

function ofPart(part: string): PackageName[] {
  const words = (part.match(/"[^"]*"|'[^']*'|[^\s"']+/gu) ?? [])
    .map((word) => word.replaceAll(/^["']|["']$/gu, ""))
    .filter((word, i, all) => !(/^\w+=/u.test(word) && all.slice(0, i).every((one) => /^\w+=/u.test(one))));
  for (const { ecosystem, words: begins, valued } of ADDING) {
    const length = Array.from({ length: MAX_WORDS }, (_v, i) => i + 1).find((n) => begins.test(words.slice(0, n).join(" ")));
    if (length === undefined) continue;
    const rest = words.slice(length);
    if (rest.some((word) => ELSEWHERE.test(word.split("=")[0] ?? ""))) return [];
    const names = rest.filter((word, i) => !word.startsWith("-") && !valued.test(rest[i - 1] ?? ""));
    return names.flatMap((word) => packageName(ecosystem, bare(ecosystem, word)) ?? []);
  }
  return [];
}

export function addedByCommand(line: string): PackageName[] {
  return line.split(/&&|\|\||[;|\n]/u).flatMap((part) => ofPart(part.trim()));
}
