/**
 * The newest event, by position and hash, in a small file beside the anchor, written after every commit. Signatures
 * come at intervals; this says before that the end of the journal was lost, as with a cut write-ahead log. It is not
 * signed and not synced: it may be behind the journal or missing, never ahead.
 */
import { closeSync, constants, openSync, readFileSync, writeSync } from "node:fs";
import { z } from "zod";

const markSchema = z.object({ position: z.int().positive(), hash: z.string() });
export type HeadMark = z.output<typeof markSchema>;

/** One write of one size replaces the mark before it as a whole. */
const SIZE = 128;

export class HeadMarkFile {
  private readonly file: string;
  private fd: number | undefined;

  constructor(file: string) {
    this.file = file;
  }

  /** What cannot be read says nothing. */
  read(): HeadMark | undefined {
    try {
      return markSchema.parse(JSON.parse(readFileSync(this.file, "utf8")));
    } catch {
      return undefined;
    }
  }

  write(mark: HeadMark): void {
    this.fd ??= openSync(this.file, constants.O_RDWR | constants.O_CREAT, 0o600);
    writeSync(this.fd, JSON.stringify(mark).padEnd(SIZE), 0);
  }

  close(): void {
    if (this.fd !== undefined) closeSync(this.fd);
    this.fd = undefined;
  }
}
