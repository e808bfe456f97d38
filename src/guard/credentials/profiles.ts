/** Named profiles: which providers have a credential, never the credential (CRE-006). */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { SylkError, writeFileAtomic } from "../../kernel/index.ts";

const schema = z.looseObject({ name: z.string(), providers: z.record(z.string(), z.boolean()).default({}) });
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,40}$/;

export interface Profiles {
  /** Providers marked as having a credential. */
  providers(profile: string): string[];
  exists(profile: string): boolean;
  list(): string[];
  mark(profile: string, provider: string, present: boolean): void;
}

export function createProfiles(configDir: string): Profiles {
  const folder = path.join(configDir, "profiles");
  const fileOf = (profile: string): string => {
    if (!NAME.test(profile))
      throw new SylkError({
        code: "PROFILE_NAME",
        tier: "user_fixable",
        message: `"${profile}" is not a profile name`,
        fix: "use letters, digits, - and _",
      });
    return path.join(folder, `${profile}.yaml`);
  };
  const load = (profile: string): z.infer<typeof schema> => {
    const file = fileOf(profile);
    if (!existsSync(file)) return { name: profile, providers: {} };
    try {
      return schema.parse(parse(readFileSync(file, "utf8")));
    } catch (error) {
      throw new SylkError({
        code: "PROFILE_UNREADABLE",
        tier: "user_fixable",
        message: `${file} is not a valid profile`,
        fix: `correct or delete ${file}`,
        cause: error,
      });
    }
  };
  return {
    exists: (profile) => existsSync(fileOf(profile)),
    providers: (profile) => Object.entries(load(profile).providers).flatMap(([name, present]) => (present ? [name] : [])),
    list: () =>
      existsSync(folder)
        ? readdirSync(folder)
            .filter((f) => f.endsWith(".yaml"))
            .map((f) => f.slice(0, -5))
            .sort()
        : [],
    mark(profile, provider, present) {
      const now = load(profile);
      writeFileAtomic(fileOf(profile), stringify({ ...now, providers: { ...now.providers, [provider]: present } }), { mode: 0o600 });
    },
  };
}
