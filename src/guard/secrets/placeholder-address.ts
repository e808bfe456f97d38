/**
 * Addresses that only show the form of one, `https://user:pass@example.com`: names nobody can have (RFC 2606, RFC 6761)
 * with a plain word as password, or the words user and password themselves. What could be somebody's stays a secret.
 */
const RESERVED = /^(?:(?:[\w-]{1,63}\.){0,8}(?:example\.(?:com|net|org)|example|test|invalid|localhost)|127\.0\.0\.1|\[::1\])$/i;
const HOST = /^@(?<host>\[::1\]|[\w.-]{1,253})(?=$|[\s/:?#"'`)>,;|\\\]])/;
const USER = /:\/\/(?<user>[^\s:@/"'`]{0,200}):$/;

const NAMES = /^(?:(?:my|your|the|some)[_-]?)?(?:user(?:name)?|login|name|me|foo|usr)$/i;
const PASSWORDS = /^(?:(?:my|your|the|some)[_-]?)?(?:pass(?:word|wd|phrase)?|passwd|pwd|secret|token|bar|x{3,}|changeme|placeholder)$/i;
/** On a name nobody can have: words without anything that looks made by chance. */
const PLAIN = /^[a-z]{1,12}(?:[_-][a-z]{1,12}){0,3}$/i;
const MARKED = /^(?:pass(?:word)?|secret|test|user)\d{1,3}$/i;

export function isPlaceholderAddress(password: string, before: string, after: string): boolean {
  const user = USER.exec(before)?.groups?.["user"] ?? "";
  if (NAMES.test(user) && PASSWORDS.test(password)) return true;
  const host = HOST.exec(after)?.groups?.["host"];
  if (host === undefined || !RESERVED.test(host)) return false;
  return PASSWORDS.test(password) || MARKED.test(password) || PLAIN.test(password);
}
