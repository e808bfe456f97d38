/** Content-addressed bytes: stored once, compressed when that helps, alive while an event refers to them. */
import { promisify } from "node:util";
import { constants, zstdCompress, zstdDecompress } from "node:zlib";
import { sha256, SylkError, type Clock } from "../../kernel/index.ts";
import type { BlobRef, Blobs } from "../types.ts";
import type { EventLog } from "./event-log.ts";
import type { Writer } from "./writer.ts";

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
const PREFIX = "blob:sha256:";
const MIN_COMPRESSED_BYTES = 256;
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };

export class SqliteBlobs implements Blobs {
  private readonly log: EventLog;
  private readonly writer: Writer;
  private readonly clock: Clock;

  constructor(log: EventLog, writer: Writer, clock: Clock) {
    this.log = log;
    this.writer = writer;
    this.clock = clock;
  }

  async put(data: string | Uint8Array): Promise<BlobRef> {
    const bytes = typeof data === "string" ? Buffer.from(data) : data;
    const hash = sha256(bytes);
    const ref = `${PREFIX}${hash}` as BlobRef;
    if (this.exists(hash)) return ref;
    const packed = bytes.length < MIN_COMPRESSED_BYTES ? undefined : await compress(bytes, LEVEL);
    const smaller = packed !== undefined && packed.length < bytes.length;
    await this.writer.run(() => {
      this.log
        .sql("INSERT OR IGNORE INTO blobs (hash, bytes, codec, at, data) VALUES (?, ?, ?, ?, ?)")
        .run(hash, bytes.length, smaller ? "zstd" : "raw", this.clock.now(), smaller ? packed : bytes);
    });
    return ref;
  }

  async get(ref: BlobRef): Promise<Uint8Array> {
    const row = this.log.sql("SELECT codec, data FROM blobs WHERE hash = ?").get(hashOf(ref)) as
      | { codec: string; data: Uint8Array }
      | undefined;
    if (row === undefined) throw new SylkError({ code: "BLOB_MISSING", tier: "permanent", message: `${ref} is not in the store` });
    const bytes = row.codec === "zstd" ? await decompress(row.data) : row.data;
    if (sha256(bytes) !== hashOf(ref)) {
      throw new SylkError({
        code: "STORE_CORRUPT",
        tier: "user_fixable",
        message: `${ref} no longer matches its hash`,
        fix: "run `sylk journal verify`",
      });
    }
    return bytes;
  }

  has(ref: BlobRef): Promise<boolean> {
    return Promise.resolve(this.exists(hashOf(ref)));
  }

  private exists(hash: string): boolean {
    return this.log.sql("SELECT 1 FROM blobs WHERE hash = ?").get(hash) !== undefined;
  }
}

function hashOf(ref: BlobRef): string {
  return ref.slice(PREFIX.length);
}
