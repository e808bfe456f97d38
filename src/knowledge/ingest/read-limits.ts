/** How much of a file is read: large texts and data by their beginning only. */
import type { FileKind } from "../store/file-report.ts";

const READ_LIMITS = { textBytes: 1_500_000, headBytes: 200_000, dataBytes: 60_000 };

export function bytesWanted(kind: FileKind, size: number): number {
  if (kind === "data") return Math.min(size, READ_LIMITS.dataBytes);
  return size > READ_LIMITS.textBytes ? READ_LIMITS.headBytes : size;
}

const READ_KINDS: readonly FileKind[] = ["code", "doc", "config", "text", "data"];

/** Of what is known by its path alone nothing is read, and so nothing is cut; text taken out of a PDF is kept whole. */
export function isReadInPart({ path, kind, size }: { path: string; kind: string; size: number }): boolean {
  const read = READ_KINDS.find((one) => one === kind);
  return read !== undefined && !/\.pdf$/iu.test(path) && bytesWanted(read, size) < size;
}
