/** Keeps folders in one `.tar.gz` before they are overwritten or removed, readable with any tar. */
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { writeFileAtomic } from "../kernel/index.ts";
import { filesBelow } from "./files-below.ts";

const BLOCK = 512;
const MAX_ENTRIES = 10_000;

function header(name: string, size: number, mode: number, mtimeSeconds: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  // Long paths are split between prefix and name, at a slash.
  let cut = 0;
  if (Buffer.byteLength(name) > 100) {
    cut = name.indexOf("/", name.length - 100);
    if (cut <= 0 || cut > 155) throw new Error(`the path ${name} is too long for a backup`);
  }
  block.write(name.slice(cut === 0 ? 0 : cut + 1), 0, 100);
  block.write(`${(mode & 0o777).toString(8).padStart(7, "0")}\0`, 100);
  block.write("0000000\0", 108);
  block.write("0000000\0", 116);
  block.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
  block.write(`${Math.floor(mtimeSeconds).toString(8).padStart(11, "0")}\0`, 136);
  block.write("        ", 148);
  block.write("0", 156);
  block.write("ustar\u000000", 257);
  if (cut > 0) block.write(name.slice(0, cut), 345, 155);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

/** `folders` by the name they get inside the archive. */
export function backupFolders(archive: string, folders: ReadonlyMap<string, string>): void {
  const parts: Buffer[] = [];
  for (const [inside, folder] of folders) {
    const below = filesBelow(folder, MAX_ENTRIES);
    if (!below.whole) throw new Error(`${folder} holds more than ${MAX_ENTRIES} files, too many for a backup`);
    for (const entry of below.files) {
      const file = path.join(folder, entry);
      const data = readFileSync(file);
      const { mode, mtimeMs } = statSync(file);
      const name = path.posix.join(inside, entry);
      parts.push(header(name, data.length, mode, mtimeMs / 1000), data, Buffer.alloc((BLOCK - (data.length % BLOCK)) % BLOCK));
    }
  }
  parts.push(Buffer.alloc(2 * BLOCK));
  writeFileAtomic(archive, gzipSync(Buffer.concat(parts)), { mode: 0o600 });
}
