/**
 * Pictures that the user gives: `@shot.png` for one of the project, `--image` for any. They are kept as they are when the
 * work begins, and shown at every step to a model that takes pictures.
 */
import { existsSync } from "node:fs";
import path from "node:path";
import { fileSensitivity } from "../guard/index.ts";
import { projectFile, SylkError, wording } from "../kernel/index.ts";
import type { Blobs } from "../journal/index.ts";
import type { Payload } from "../protocol/events/index.ts";

type Picture = NonNullable<Payload<"task.created">["pictures"]>[number];

const MAX_BYTES = 5 * 1024 * 1024;
const MOST = 4;
/** As providers say they count: by the pixel, up to what a picture is made smaller to. */
const PIXELS_PER_TOKEN = 750;
const [LEAST_TOKENS, MOST_TOKENS] = [85, 1_600];

/** Named with `@`; in quotes where it has spaces. */
const NAMED = /(?<![\w@/.])@(?:"(?<quoted>[^"\n]+)"|(?<plain>[^\s"'@]+))/gu;
const PICTURE = /\.(?:png|jpe?g|gif|webp)$/iu;

/** Files of the project that the words name with `@`, are called as pictures are, and are there. */
function picturesIn(words: string, projectDir: string): string[] {
  const found = [...words.matchAll(NAMED)].map(({ groups }) => (groups?.["quoted"] ?? groups?.["plain"] ?? "").replace(/[.,;:!?)]+$/u, ""));
  return [...new Set(found)].filter((name) => PICTURE.test(name) && !path.isAbsolute(name) && existsSync(path.join(projectDir, name)));
}

type Looks = Pick<Picture, "media_type" | "width" | "height">;

/** Width and height of a JPEG stand in the segment that begins a frame. */
function jpegSize(bytes: Buffer): { width: number; height: number } | undefined {
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const kind = bytes[at + 1] ?? 0;
    if (kind >= 0xc0 && kind <= 0xcf && kind !== 0xc4 && kind !== 0xc8 && kind !== 0xcc)
      return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
  }
  return undefined;
}

function webpSize(bytes: Buffer): { width: number; height: number } | undefined {
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8X":
      return { width: 1 + bytes.readUIntLE(24, 3), height: 1 + bytes.readUIntLE(27, 3) };
    case "VP8L":
      return { width: 1 + (bytes.readUInt16LE(21) & 0x3fff), height: 1 + ((bytes.readUInt32LE(21) >>> 14) & 0x3fff) };
    case "VP8 ":
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
}

/** By its first bytes, whatever it is called. */
function looksOf(bytes: Buffer): Looks | undefined {
  if (bytes.length < 32) return undefined;
  if (bytes.toString("latin1", 0, 8) === "\u0089PNG\r\n\u001a\n")
    return { media_type: "image/png", width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  if (/^GIF8[79]a/u.test(bytes.toString("latin1", 0, 6)))
    return { media_type: "image/gif", width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  if (bytes.readUInt16BE(0) === 0xffd8) {
    const size = jpegSize(bytes);
    return size === undefined ? undefined : { media_type: "image/jpeg", ...size };
  }
  if (bytes.toString("latin1", 0, 4) !== "RIFF" || bytes.toString("latin1", 8, 12) !== "WEBP") return undefined;
  const size = webpSize(bytes);
  return size === undefined ? undefined : { media_type: "image/webp", ...size };
}

const refused = (file: string, why: string): SylkError =>
  new SylkError({
    code: "PICTURE_UNUSABLE",
    tier: "user_fixable",
    message: `${wording.oneLine(file)} ${why}`,
    fix: "a picture is a PNG, JPEG, GIF or WebP file of at most 5 MB; leave it out, or name another",
  });

/** What stands below a folder, and not behind a link that leads out of it. */
function readPicture(root: string, file: string): { bytes: Buffer; looks: Looks } {
  if (fileSensitivity(path.resolve(root, file)).sensitive) throw refused(file, "is where secrets are kept");
  const found = projectFile.read(root, file, { maxBytes: MAX_BYTES });
  if (found.kind === "none") throw refused(file, "is not there");
  if (found.kind === "refused") throw refused(file, found.reason);
  if (found.cut) throw refused(file, "is larger than 5 MB");
  const looks = looksOf(found.bytes);
  if (looks === undefined) throw refused(file, "is no picture that can be read");
  return { bytes: found.bytes, looks };
}

export interface NamedPictures {
  blobs: Pick<Blobs, "put">;
  /** Files of the project that these name with `@`. */
  words: string;
  projectDir: string;
  /** Whole paths of others. */
  more?: readonly string[] | undefined;
  model: string;
  /** Whether a model takes pictures. */
  takes: (model: string) => boolean;
}

/** Keeps them before anything is begun; one that cannot be used is an error, never left out in silence. */
export async function keepPictures({ blobs, words, projectDir, more = [], model, takes }: NamedPictures): Promise<Picture[]> {
  // In the words, which may be somebody else's that were pasted, only files of the project; from elsewhere by an option.
  const files = [
    ...picturesIn(words, projectDir).map((file) => ({ root: projectDir, file })),
    ...more.map((file) => ({ root: path.dirname(file), file: path.basename(file) })),
  ];
  if (files.length === 0) return [];
  if (!takes(model))
    throw new SylkError({
      code: "MODEL_TAKES_NO_PICTURES",
      tier: "user_fixable",
      message: `${model} takes no pictures, and ${wording.oneLine(files[0]?.file ?? "")} is one`,
      fix: "choose a model that does (-m; `sylk models list --json` says which), name the file without @, or say that yours does: llm.catalogue.<model>.images",
    });
  if (files.length > MOST) throw refused(`${files.length} pictures`, `are too many: at most ${MOST} at once`);
  return Promise.all(
    files.map(async ({ root, file }) => {
      const { bytes, looks } = readPicture(root, file);
      const tokens = Math.min(MOST_TOKENS, Math.max(LEAST_TOKENS, Math.ceil((looks.width * looks.height) / PIXELS_PER_TOKEN)));
      return { name: path.basename(file), content: await blobs.put(bytes), ...looks, tokens };
    }),
  );
}
