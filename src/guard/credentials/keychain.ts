/**
 * The operating system's keychain. Loaded on first use and probed with a real call: on many machines
 * the library is there and the service is not. Service `sylk:<profile>`, account `<provider>` (CRE-002).
 */
import type { AsyncEntry } from "@napi-rs/keyring";

export interface Keychain {
  available(): Promise<boolean>;
  get(profile: string, provider: string): Promise<string | undefined>;
  set(profile: string, provider: string, secret: string): Promise<void>;
  delete(profile: string, provider: string): Promise<boolean>;
}

const service = (profile: string): string => `sylk:${profile}`;

export function createSystemKeychain(): Keychain {
  const entry = async (profile: string, provider: string): Promise<AsyncEntry> => {
    const keyring = await import("@napi-rs/keyring");
    return new keyring.AsyncEntry(service(profile), provider);
  };
  let probe: Promise<boolean> | undefined;
  return {
    available: () =>
      (probe ??= entry("probe", "probe")
        .then(async (e) => {
          await e.setPassword("probe");
          return e.deleteCredential();
        })
        .catch(() => false)),
    async get(profile, provider) {
      return (await (await entry(profile, provider)).getPassword()) ?? undefined;
    },
    async set(profile, provider, secret) {
      await (await entry(profile, provider)).setPassword(secret);
    },
    async delete(profile, provider) {
      return (await entry(profile, provider)).deleteCredential();
    },
  };
}
