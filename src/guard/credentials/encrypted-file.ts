/**
 * Credentials in a file: AES-256-GCM under an Argon2id key made of the machine, the user and an optional
 * passphrase (CRE-003, CRE-004). Without a passphrase this only keeps a copied file useless elsewhere;
 * a program of the same user on the same machine can derive the key too. A file that does not decrypt is
 * reported and never overwritten.
 */
import * as crypto from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import { SylkError, canonicalJson, writeFileAtomic } from "../../kernel/index.ts";

export interface StoredSecret {
  value: string;
  /** The provider accepted it when it was stored. */
  verified: boolean;
  savedAt: number;
}

/** profile → provider → secret */
export type SecretTable = Record<string, Record<string, StoredSecret>>;

export interface EncryptedFileOptions {
  /** Machine and user; part of the key. */
  identity: string;
  passphrase?: string | undefined;
}

const KDF = { name: "argon2id", memoryKib: 65_536, passes: 1, parallelism: 4, keyBytes: 32 } as const;
const NONCE_BYTES = 12;
const SALT_BYTES = 16;

const headerSchema = z.strictObject({
  version: z.literal(1),
  kdf: z.strictObject({
    name: z.literal("argon2id"),
    memory_kib: z
      .int()
      .min(8)
      .max(1 << 21),
    passes: z.int().min(1).max(64),
    parallelism: z.int().min(1).max(64),
  }),
  salt: z.string(),
  passphrase: z.boolean(),
});
const fileSchema = z.strictObject({ header: headerSchema, nonce: z.string(), data: z.string() });
const tableSchema = z.record(
  z.string(),
  z.record(z.string(), z.strictObject({ value: z.string(), verified: z.boolean(), saved_at: z.number() })),
);
type Header = z.infer<typeof headerSchema>;

function deriveKey(header: Header, { identity, passphrase }: EncryptedFileOptions): Buffer {
  if (typeof crypto.argon2Sync !== "function")
    throw new SylkError({
      code: "CREDENTIALS_NO_ARGON2",
      tier: "user_fixable",
      message: "this Node has no Argon2, which the credential file needs",
      fix: "use Node.js 24.7 or newer, or keep the key in an environment variable",
    });
  return crypto.argon2Sync("argon2id", {
    message: canonicalJson([identity, header.passphrase ? (passphrase ?? "") : null]),
    nonce: Buffer.from(header.salt, "base64"),
    memory: header.kdf.memory_kib,
    passes: header.kdf.passes,
    parallelism: header.kdf.parallelism,
    tagLength: KDF.keyBytes,
  });
}

function unreadable(file: string, cause: unknown): SylkError {
  return new SylkError({
    code: "CREDENTIALS_UNREADABLE",
    tier: "user_fixable",
    message: `${file} cannot be decrypted here: the machine, the user or the passphrase changed, or the file is damaged`,
    fix: `sign in again with \`sylk auth set <provider>\` after moving ${file} away`,
    cause,
  });
}

export interface EncryptedFile {
  readonly path: string;
  read(): SecretTable;
  /** Changes the table and replaces the file in one go. */
  update(change: (table: SecretTable) => void): void;
}

export function createEncryptedFile(path: string, options: EncryptedFileOptions): EncryptedFile {
  const load = (): { header: Header | undefined; table: SecretTable } => {
    if (!existsSync(path)) return { header: undefined, table: {} };
    try {
      const { header, nonce, data } = fileSchema.parse(JSON.parse(readFileSync(path, "utf8")));
      const sealed = Buffer.from(data, "base64");
      const decipher = crypto.createDecipheriv("aes-256-gcm", deriveKey(header, options), Buffer.from(nonce, "base64"), {
        authTagLength: 16,
      });
      decipher.setAAD(Buffer.from(canonicalJson(header)));
      decipher.setAuthTag(sealed.subarray(-16));
      const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]).toString("utf8");
      const raw = tableSchema.parse(JSON.parse(plain));
      const table: SecretTable = {};
      for (const [profile, entries] of Object.entries(raw)) {
        table[profile] = Object.fromEntries(
          Object.entries(entries).map(([name, e]) => [name, { value: e.value, verified: e.verified, savedAt: e.saved_at }]),
        );
      }
      return { header, table };
    } catch (error) {
      throw error instanceof SylkError ? error : unreadable(path, error);
    }
  };
  return {
    path,
    read: () => load().table,
    update(change) {
      const { header: known, table } = load();
      change(table);
      const header: Header = known ?? {
        version: 1,
        kdf: { name: KDF.name, memory_kib: KDF.memoryKib, passes: KDF.passes, parallelism: KDF.parallelism },
        salt: crypto.randomBytes(SALT_BYTES).toString("base64"),
        passphrase: options.passphrase !== undefined,
      };
      const plain: z.infer<typeof tableSchema> = {};
      for (const [profile, entries] of Object.entries(table)) {
        plain[profile] = Object.fromEntries(
          Object.entries(entries).map(([name, e]) => [name, { value: e.value, verified: e.verified, saved_at: e.savedAt }]),
        );
      }
      const nonce = crypto.randomBytes(NONCE_BYTES);
      const cipher = crypto.createCipheriv("aes-256-gcm", deriveKey(header, options), nonce, { authTagLength: 16 });
      cipher.setAAD(Buffer.from(canonicalJson(header)));
      const sealed = Buffer.concat([cipher.update(JSON.stringify(plain), "utf8"), cipher.final(), cipher.getAuthTag()]);
      writeFileAtomic(path, `${JSON.stringify({ header, nonce: nonce.toString("base64"), data: sealed.toString("base64") })}\n`, {
        mode: 0o600,
      });
    },
  };
}
