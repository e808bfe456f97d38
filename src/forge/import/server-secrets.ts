/**
 * What looks like a secret in a server's entry is not written into a project: a variable stands in its place. Judged as
 * the other tool wrote it, because a password may look like a variable once it is put into our form.
 */
import { environmentSecrets, type Redactor } from "../../guard/index.ts";
import { plainName, type Reach } from "./things.ts";

/** Somebody's name, and what is looked for or pressed, are none. */
const TELLING_NAME = /key(?!words?(?![a-z])|board|map)|token|secret|passw|pwd|auth(?!ors?(?![a-z]))|cred|cookie|session|dsn/iu;
/** Without a value to fall back on: that would be a value like any other. */
const VARIABLES = /\$?\{(?:env:)?[A-Za-z_]\w*\}/gu;
const WHOLE_VARIABLE = /^\$[A-Z_][A-Z0-9_]*$/u;
const SCHEME = /^(?:Bearer|Basic|Token)\s+/iu;
/** `NAME=value`, `--name=value`, `Name: value`, anywhere in an argument, also one in the other. */
const PAIRS = /(?<![\w./@-])([\w.-]+)(=|:\s{0,8})(?=((?:(?:Bearer|Basic|Token)\s{1,8})?[^\s&;"']{1,400}))/giu;
const FLAG = /^--?[\w-]+$/u;
/** Shorter ones after a bare colon are ports and versions. */
const MIN_AFTER_COLON = 12;
const MIN_RANDOM = 8;

export type Shared = { reach: Reach; set: string[] } | { why: string };

/** What is left of a value beside its variables. */
function literal(value: string): string {
  const bare = value.replace(SCHEME, "").trim();
  return WHOLE_VARIABLE.test(bare) ? "" : bare.replaceAll(VARIABLES, "");
}

/** A part of an address that nobody would choose as a name. */
const isRandomPart = (text: string): boolean =>
  text.split(/[-_.~]/u).some((part) => part.length >= MIN_RANDOM && /\d/u.test(part) && /[a-z]/iu.test(part));

const pathParts = (text: string): string[] => (/^https?:\/\//iu.test(text) ? text.split(/[/?#]/u).slice(3) : []);

/** Harmless to share; the variables to set are named. */
export function withoutSecrets(server: string, { reach, raw }: { reach: Reach; raw: Reach }, redactor: Redactor): Shared {
  const isSecret = (name: string, value: string): boolean => {
    const left = literal(value);
    if (left === "") return false;
    return TELLING_NAME.test(name) || environmentSecrets({ [name]: left }, redactor).length > 0;
  };
  const set: string[] = [];
  const hide = (
    given: Readonly<Record<string, string>>,
    judged: Readonly<Record<string, string>>,
    nameFor: (name: string) => string,
  ): Record<string, string> =>
    Object.fromEntries(
      Object.entries(given).map(([name, value]) => {
        if (!isSecret(name, judged[name] ?? value)) return [name, value];
        const variable = nameFor(name);
        set.push(variable);
        return [name, `${SCHEME.exec(value)?.[0] ?? ""}\${${variable}}`];
      }),
    );
  const holdsPair = (text: string): boolean =>
    [...text.matchAll(PAIRS)].some(
      ([, name = "", sign, value = ""]) => (sign !== ":" || value.length >= MIN_AFTER_COLON) && isSecret(name, value),
    );
  const place = raw.kind === "stdio" ? [raw.command, ...raw.args] : [raw.url];
  const told = place.some((text, i) => {
    // `--api-key value` looks like nothing in either half.
    const flag = FLAG.exec(place[i - 1] ?? "")?.[0];
    return (
      isSecret("value", text) ||
      holdsPair(text) ||
      (flag !== undefined && !FLAG.test(text) && isSecret(flag, text)) ||
      pathParts(text).some((part) => isRandomPart(literal(part)))
    );
  });
  if (told) return { why: "holds a secret in its command or address; `sylk mcp add` writes it into your own list" };
  const variable = (name: string): string => plainName(name).replaceAll("-", "_").toUpperCase();
  const shared: Reach =
    reach.kind === "stdio"
      ? { ...reach, env: hide(reach.env, raw.kind === "stdio" ? raw.env : {}, (name) => name) }
      : { ...reach, headers: hide(reach.headers, raw.kind === "http" ? raw.headers : {}, (name) => variable(`${server}_${name}`)) };
  return { reach: shared, set };
}
