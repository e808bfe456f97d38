/**
 * What the project's secret files hold becomes known to the redactor, so that it is recognised wherever it turns up:
 * in the output of a test that prints its settings, in an error, in a copy. The values are kept in memory only. Looks at
 * names first; links, large files and folders of dependencies are left alone.
 */
import { constants } from "node:fs";
import { open, readdir } from "node:fs/promises";
import path from "node:path";
import { isSecretByName } from "./environment-secrets.ts";
import { fileSensitivity } from "./sensitive-files.ts";

const LIMITS = { maxEntries: 20_000, maxFiles: 200, maxBytes: 64 * 1024, maxValues: 100 };
const PASSED_BY = new Set([".git", "node_modules", "vendor", "target", "dist", "build", ".venv", "venv", "__pycache__"]);
const MIN_LENGTH = 12;
const MAX_LENGTH = 4_000;
/** Bits per character. English words and paths lie below, keys above. */
const MIN_ENTROPY = 3;

function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** Addresses, paths and plain words are settings, not secrets; a password in an address is found by its pattern. */
function looksSecret(value: string): boolean {
  if (value.length < MIN_LENGTH || value.length > MAX_LENGTH || /^(?:[a-z][a-z+.-]*:\/\/|[./~$<{])/i.test(value)) return false;
  return /\d/.test(value) && /[a-z]/i.test(value) && entropy(value) >= MIN_ENTROPY;
}

/** Without its quotes, or what follows it in the line. */
function valueOf(written: string): string {
  const quoted = /^(["'`])(.*?)\1/u.exec(written)?.[2];
  return quoted ?? written.replace(/(?:\s#.*|[;,])$/u, "").trim();
}

/** Values as settings files write them: assigned, quoted, or standing alone. */
function secretValuesOf(text: string): string[] {
  const found = new Set<string>();
  // A key in its block is found by its pattern; line by line it would only crowd out the rest.
  for (const line of text.replaceAll(/-----BEGIN [^-]{1,60}-----[\s\S]*?-----END [^-]{1,60}-----/g, "").split("\n")) {
    const assigned = /^[^=:]{1,200}[=:]\s*(.+?)\s*$/.exec(line)?.[1] ?? "";
    const words = line.split(/[\s"'`,;<>{}()[\]]+/);
    // A name and its value, or a user and a password, stand together in one word.
    const parts = words.flatMap((word) => [...(/[=:@](?!=*$)/.test(word) ? [] : [word]), ...word.split(/[=:@]/)]);
    const whole = assigned.replace(/^(["'`])(.*)\1[;,]?$/, "$2");
    const pieces = [/["'`{}[\]]/.test(whole) ? "" : whole, ...parts];
    for (const piece of pieces) if (looksSecret(piece)) found.add(piece);
    const named = /^\s*(?:export\s+|set\s+|-\s+)?["']?([\w.-]{1,100})["']?\s*[=:]\s*(.+?)\s*$/u.exec(line);
    const value = valueOf(named?.[2] ?? "");
    if (isSecretByName(named?.[1] ?? "", value) && value.length <= MAX_LENGTH && !/^(?:\$[({]|[<{[])/u.test(value)) found.add(value);
  }
  return [...found];
}

async function readSmall(file: string): Promise<string> {
  try {
    await using handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const facts = await handle.stat();
    return facts.isFile() && facts.size <= LIMITS.maxBytes ? await handle.readFile("utf8") : "";
  } catch {
    // What cannot be read cannot be printed by a command of this user either.
    return "";
  }
}

export async function findSecretValues(root: string): Promise<string[]> {
  const values = new Set<string>();
  const folders = [""];
  let entries = 0;
  let files = 0;
  for (let folder = folders.shift(); folder !== undefined && entries < LIMITS.maxEntries; folder = folders.shift()) {
    const inside = await readdir(path.join(root, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of inside) {
      entries += 1;
      const name = path.posix.join(folder, entry.name);
      if (entry.isDirectory() && !PASSED_BY.has(entry.name)) folders.push(name);
      if (!entry.isFile() || files >= LIMITS.maxFiles || fileSensitivity(name).handling !== "skip") continue;
      files += 1;
      for (const value of secretValuesOf(await readSmall(path.join(root, name)))) values.add(value);
    }
  }
  // Each one is looked for in every text, so there is an end to how many.
  return [...values].slice(0, LIMITS.maxValues);
}
