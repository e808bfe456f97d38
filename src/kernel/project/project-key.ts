/**
 * The user's secret from which projects get their ids and marks. Ids are unforeseeable to whoever makes a
 * repository, and two processes that meet a folder for the first time agree on one without a lock.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { closeSync, fsyncSync, linkSync, lstatSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import path from "node:path";
import { SylkError } from "../errors.ts";
import { smallText } from "./git-folder.ts";

const KEY_BYTES = 32;
const ID_CHARS = 24;
const NAME_CHARS = 12;

export interface ProjectKey {
  /** Tells this key from others and says nothing about it. */
  readonly name: string;
  /** The id of the `generation`th project that stood in this folder. */
  idOf(folder: string, generation: number): string;
  markOf(id: string): string;
  /** The id that a mark was made for, when it was made here. */
  readMark(text: string): string | undefined;
}

/** Made on first use. Where nothing can be written, a passing one: then nothing else can be kept either. */
export function projectKey(projects: string): ProjectKey {
  const file = path.join(projects, "key");
  const secret = readKey(file) ?? createKey(file) ?? passingKey(file);
  const mac = (text: string): string => createHmac("sha256", secret).update(text).digest("hex");
  const markOf = (id: string): string => `${id} ${mac(`mark\0${id}`)}\n`;
  return {
    name: mac("name").slice(0, NAME_CHARS),
    idOf: (folder, generation) => mac(`project\0${generation}\0${folder}`).slice(0, ID_CHARS),
    markOf,
    readMark(text) {
      const id = /^([0-9a-f]+) /u.exec(text)?.[1];
      if (id === undefined) return undefined;
      const [given, expected] = [Buffer.from(text), Buffer.from(markOf(id))];
      return given.length === expected.length && timingSafeEqual(given, expected) ? id : undefined;
    },
  };
}

function readKey(file: string): Buffer | undefined {
  const key = Buffer.from(smallText(file, 200)?.trim() ?? "", "hex");
  return key.length === KEY_BYTES ? key : undefined;
}

/** For one process. Beside a key that cannot be read it would make every project a new one, and what is decided in it lost. */
function passingKey(file: string): Buffer {
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined)
    throw new SylkError({
      code: "PROJECT_KEY_UNREADABLE",
      tier: "user_fixable",
      message: `${file}, by which projects are known again, cannot be read or is damaged`,
      fix: "make it readable, or put it back from a backup; without it (removed) every project begins anew, beside what was kept",
    });
  return randomBytes(KEY_BYTES);
}

/** Whole or not at all, and never over one that another process made meanwhile. */
function createKey(file: string): Buffer | undefined {
  const temp = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    const fd = openSync(temp, "wx", 0o600);
    writeSync(fd, `${randomBytes(KEY_BYTES).toString("hex")}\n`);
    fsyncSync(fd);
    closeSync(fd);
    linkSync(temp, file);
  } catch {
    // Lost the race, or may not write: whatever is there now is the answer.
  } finally {
    rmSync(temp, { force: true });
  }
  return readKey(file);
}
