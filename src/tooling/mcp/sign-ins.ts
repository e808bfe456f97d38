/**
 * Where the user signed in with `sylk mcp login`: tokens by the address of the server they were given for, in a file
 * that only the user can read. A file that others could have written counts for nothing.
 */
import { lstatSync, readFileSync } from "node:fs";
import { z } from "zod";
import { SylkError, systemCode, writeFileAtomic } from "../../kernel/index.ts";

/** As the library gives them; kept as they are. */
const signInSchema = z.strictObject({
  client: z.looseObject({ client_id: z.string(), client_secret: z.string().optional() }),
  tokens: z.looseObject({ access_token: z.string(), token_type: z.string(), refresh_token: z.string().optional() }).optional(),
});
export type SignIn = z.output<typeof signInSchema>;
const fileSchema = z.strictObject({ version: z.literal(1), servers: z.record(z.string(), signInSchema) });

export interface SignIns {
  of(url: string): SignIn | undefined;
  keep(url: string, signIn: SignIn): void;
  /** False when there was none. */
  forget(url: string): boolean;
}

const OTHERS = 0o077;

export function createSignIns(file: string, onSecret: (value: string) => void): SignIns {
  const read = (): z.output<typeof fileSchema>["servers"] => {
    try {
      const found = lstatSync(file);
      const me = process.getuid?.();
      if (!found.isFile() || (me !== undefined && (found.uid !== me || (found.mode & OTHERS) !== 0)))
        throw new Error("others may read or write it, or it is no plain file");
      return fileSchema.parse(JSON.parse(readFileSync(file, "utf8"))).servers;
    } catch (cause) {
      if (systemCode(cause) === "ENOENT") return {};
      throw new SylkError({
        code: "MCP_SIGN_INS_UNUSABLE",
        tier: "user_fixable",
        message: `${file} is not used: it is broken, or not yours alone`,
        fix: "remove it, then `sylk mcp login <name>` again",
        cause,
      });
    }
  };
  const write = (servers: Record<string, SignIn>): void =>
    writeFileAtomic(file, `${JSON.stringify({ version: 1, servers }, undefined, 2)}\n`, { mode: 0o600 });
  const hide = (found: SignIn | undefined): void => {
    for (const value of [found?.tokens?.access_token, found?.tokens?.refresh_token, found?.client.client_secret])
      if (value !== undefined) onSecret(value);
  };
  return {
    of(url) {
      const found = read()[url];
      hide(found);
      return found;
    },
    keep(url, signIn) {
      hide(signIn);
      write({ ...read(), [url]: signIn });
    },
    forget(url) {
      const { [url]: gone, ...left } = read();
      if (gone !== undefined) write(left);
      return gone !== undefined;
    },
  };
}
