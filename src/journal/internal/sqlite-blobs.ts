/** Content-addressed bytes: stored once, compressed when that helps, alive while an event refers to them. */
import { promisify } from "node:util";
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from "node:zlib";
import { sha256, SylkError, type Clock } from "../../kernel/index.ts";
import type { BlobRef, Blobs } from "../types.ts";
import type { EventLog } from "./event-log.ts";
import type { Writer } from "./writer.ts";
import { rowOf } from "./rows.ts";

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
const PREFIX = "blob:sha256:";
const MIN_COMPRESSED_BYTES = 256;
/** Up to this size compressing takes less than handing it to another thread. */
const SYNC_BYTES = 96 * 1024;
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

  ref(data: string | Uint8Array): BlobRef {
    return `${PREFIX}${sha256(data)}`;
  }

  /** Small data is queued for writing before this returns, so an append right after shares its transaction. */
  put(data: string | Uint8Array): Promise<BlobRef> {
    const bytes = typeof data === "string" ? Buffer.from(data) : data;
    const hash = sha256(bytes);
    if (this.exists(hash)) return this.reuse(hash);
    if (bytes.length < MIN_COMPRESSED_BYTES) return this.store(hash, bytes, undefined);
    if (bytes.length <= SYNC_BYTES) return this.store(hash, bytes, zstdCompressSync(bytes, LEVEL));
    return compress(bytes, LEVEL).then((packed) => this.store(hash, bytes, packed));
  }

  /** What nobody refers to yet counts as new again, so that no clean-up takes it before its event is there. */
  private async reuse(hash: string): Promise<BlobRef> {
    const referred = this.log.sql("SELECT 1 FROM blob_refs WHERE hash = ? LIMIT 1").get(hash) !== undefined;
    if (!referred) await this.writer.run(() => this.log.sql("UPDATE blobs SET at = ? WHERE hash = ?").run(this.clock.now(), hash));
    return `${PREFIX}${hash}`;
  }

  private async store(hash: string, bytes: Uint8Array, packed: Uint8Array | undefined): Promise<BlobRef> {
    const smaller = packed !== undefined && packed.length < bytes.length;
    await this.writer.run(() => {
      this.log
        .sql("INSERT INTO blobs (hash, bytes, codec, at, data) VALUES (?, ?, ?, ?, ?) ON CONFLICT (hash) DO UPDATE SET at = excluded.at")
        .run(hash, bytes.length, smaller ? "zstd" : "raw", this.clock.now(), smaller ? packed : bytes);
    });
    return `${PREFIX}${hash}`;
  }

  async get(ref: BlobRef): Promise<Uint8Array> {
    const row = rowOf(this.log.sql("SELECT codec, data FROM blobs WHERE hash = ?").get(hashOf(ref)), { codec: "text", data: "bytes" });
    if (row === undefined) throw new SylkError({ code: "BLOB_MISSING", tier: "permanent", message: `${ref} is not in the store` });
    const bytes =
      row.codec !== "zstd" ? row.data : row.data.length <= SYNC_BYTES / 4 ? zstdDecompressSync(row.data) : await decompress(row.data);
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
