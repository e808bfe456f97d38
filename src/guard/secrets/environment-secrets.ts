/**
 * Values of the environment that look like secrets, by their name or by their shape, so that the
 * redactor knows them wherever they turn up. Commands are not given them in the first place.
 */
import type { Redactor } from "./create-redactor.ts";

/** A part of the name between underscores, or its end. */
const SECRET_NAME =
  /(?:^|[_-])(?:key|apikey|token|secret|pass|passwd|password|passphrase|pwd|pin|pat|sk|auth|credentials?|cred|cookie|session|jwt|bearer|dsn|salt|seed|mnemonic|signature|webhook|private|license|otp)s?(?:$|[_-])|(?:key|token|secret|password|passwd|pwd|credentials?)s?$/iu;
/** Names that match and hold nothing of the kind. */
const PLAIN_NAME =
  /^(?:XDG_SESSION_\w+|DESKTOP_SESSION|SESSION_MANAGER|GNOME_\w*SESSION\w*|TERM_SESSION_ID|SSH_AUTH_SOCK|PWD|OLDPWD|\w*KEYBOARD\w*|GPG_TTY)$/u;
const MIN_LENGTH = 8;
/** Words that would be cut out of ordinary text. */
const PLAIN_VALUE =
  /^(?:true|false|yes|no|none|null|undefined|enabled|disabled|default|optional|required|localhost|development|production|testing|[\d.:,\s-]{1,12})$/iu;
const URL_PASSWORD = /:\/\/[^/\s:@]*:([^/\s@]+)@/u;

/** Long, without blanks and slashes, with letters and figures well mixed; not the name of a commit or a record. */
function looksRandom(value: string): boolean {
  if (/^[0-9a-f-]+$/iu.test(value)) return false;
  if (!/^[A-Za-z0-9+=_.~-]{24,}$/u.test(value) || !/\d/u.test(value) || !/[A-Za-z]/u.test(value)) return false;
  const changes = value.split("").filter((c, i) => i > 0 && /\d/u.test(c) !== /\d/u.test(value[i - 1] ?? "")).length;
  return changes >= value.length / 6 && new Set(value).size >= 12;
}

/** By its name alone, where the value is neither a path nor a word of ordinary text. */
export function isSecretByName(name: string, value: string): boolean {
  const isPath = /^[./~]/u.test(value) && !value.includes("\n");
  return value.length >= MIN_LENGTH && !PLAIN_VALUE.test(value) && SECRET_NAME.test(name) && !PLAIN_NAME.test(name) && !isPath;
}

export function environmentSecrets(env: Readonly<Record<string, string | undefined>>, redactor: Pick<Redactor, "find">): string[] {
  const found = new Set<string>();
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || value.length < MIN_LENGTH || PLAIN_VALUE.test(value)) continue;
    const password = URL_PASSWORD.exec(value)?.[1];
    if (password !== undefined && password.length >= MIN_LENGTH) {
      found.add(password);
      found.add(value);
    }
    if (isSecretByName(name, value) || looksRandom(value)) found.add(value);
    else for (const { start, end } of redactor.find(value)) found.add(value.slice(start, end));
  }
  return [...found];
}
