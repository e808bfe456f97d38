/**
 * The word by which a program shows that it may use a server of this user: random, in a file that only
 * the user can read. Whoever could read or write the file could do as much as the user, so a file that others can
 * reach, or a link, is refused rather than used.
 */
import { constants, closeSync, fstatSync, mkdirSync, openSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import path from "node:path";
import { messageOf, SylkError, systemCode, writeError } from "../../kernel/index.ts";

export interface AccessToken {
  readonly file: string;
  readonly token: string;
}

const TOKEN_BYTES = 32;
const TOKEN = /^[\w-]{43}$/;

function unusable(file: string, why: string, cause?: unknown): SylkError {
  return new SylkError({
    code: "ACCESS_TOKEN_UNUSABLE",
    tier: "user_fixable",
    message: `the access token ${file} is not used: ${why}`,
    fix: "remove the file: the next start makes a new token; give that to the programs that connect",
    cause,
  });
}

function read(file: string): string {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw unusable(file, systemCode(error) === "ELOOP" ? "it is a link" : messageOf(error), error);
  }
  try {
    const facts = fstatSync(fd);
    if (!facts.isFile()) throw unusable(file, "it is not a plain file");
    if ((facts.mode & 0o077) !== 0) throw unusable(file, "others may read or write it");
    if (process.getuid !== undefined && facts.uid !== process.getuid()) throw unusable(file, "it belongs to somebody else");
    const token = readFileSync(fd, "utf8").trim();
    if (!TOKEN.test(token)) throw unusable(file, "it holds no token");
    return token;
  } finally {
    closeSync(fd);
  }
}

/** Made on first use; two that come at the same time get the same one. */
export function openAccessToken(file: string): AccessToken {
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, `${randomBytes(TOKEN_BYTES).toString("base64url")}\n`, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw writeError(file, error);
  }
  return { file, token: read(file) };
}

/** Tokens that servers of this user left in a folder, of any server and run. */
export function tokensIn(folder: string): string[] {
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => name.includes("token"));
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    try {
      return [read(path.join(folder, name))];
    } catch {
      // A server would not use it either.
      return [];
    }
  });
}

/** Takes the same time whatever is given, so that nothing can be guessed piece by piece. */
export function isAuthorized(header: string | null, token: string): boolean {
  const given = /^Bearer +(\S{1,200})$/i.exec(header ?? "")?.[1] ?? "";
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}
