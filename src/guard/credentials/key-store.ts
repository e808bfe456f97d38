/** Signing in, as surfaces see it. Keys of providers go in, are used and are redacted; they never come back out. */
import path from "node:path";
import { createSystemKeychain } from "./keychain.ts";
import { openAccessToken, tokensIn, type AccessToken } from "./access-token.ts";
import { openCredentials, type CredentialEntry, type CredentialSource, type Credentials } from "./open-credentials.ts";
import { verifyKey, type KeyCheck } from "./verify-key.ts";
import { SylkError, type Clock, type Dirs, type ProjectDirs, systemPaths } from "../../kernel/index.ts";
import { machineIdentity } from "./machine-identity.ts";

export interface AuthApi {
  /** Checks the key with its provider, then stores it. `unverified` stores it although it could not be checked. */
  set(request: {
    provider: string;
    key: string;
    profile?: string | undefined;
    unverified: boolean;
    signal: AbortSignal;
  }): Promise<{ source: CredentialSource; profile: string; check: KeyCheck["kind"] }>;
  list(profile?: string): Promise<CredentialEntry[]>;
  /** Where it was removed from; empty when there was nothing. */
  remove(provider: string, profile?: string): Promise<CredentialSource[]>;
  test(request: {
    provider: string;
    profile?: string | undefined;
    signal: AbortSignal;
  }): Promise<{ source: CredentialSource; place: string; check: KeyCheck }>;
}

/** What a program must show to use a server of this user; made on first use. */
export function serverToken(env: Record<string, string | undefined>, server: "api" | "mcp"): AccessToken {
  return openAccessToken(path.join(systemPaths.dirs({ env, platform: process.platform }).state, `${server}-token`));
}

export interface AuthParts {
  dirs: Dirs;
  project: ProjectDirs;
  env: Record<string, string | undefined>;
  clock: Clock;
  /** From the configuration; `default` when nobody chose one. */
  profile: () => string;
  /** Told about every value that was read, so that it is redacted everywhere. */
  onValue: (value: string) => void;
}

export interface Auth {
  api: AuthApi;
  find: Credentials["find"];
  /** Stores the key that a question asked for; what comes back undoes it, for when another answer was first. */
  keep(provider: string, key: string, signal: AbortSignal): Promise<() => Promise<void>>;
  /** The environment a model gate reads its keys from. */
  modelEnvironment(): Promise<Record<string, string | undefined>>;
}

export function createAuth(parts: AuthParts): Auth {
  const { env, clock, dirs, project } = parts;
  // Whoever has it may do what the user may, and any process may come across it.
  for (const token of tokensIn(dirs.state)) parts.onValue(token);
  const open = (profile: string | undefined, options: { create: boolean }): Credentials => {
    const chosen = profile ?? env["SYLK_PROFILE"];
    return openCredentials({
      configDir: dirs.config,
      projectDir: project.private,
      env,
      identity: machineIdentity(),
      passphrase: env["SYLK_CREDENTIAL_PASSPHRASE"],
      profile: chosen ?? parts.profile(),
      profileIsExplicit: chosen !== undefined && !options.create,
      keychain: createSystemKeychain(),
      clock,
    });
  };

  const api: AuthApi = {
    async set({ provider, key, profile, unverified, signal }) {
      parts.onValue(key);
      const check = await verifyKey({ provider, key, env, signal });
      if (check.kind === "rejected")
        throw new SylkError({
          code: "AUTH_REJECTED",
          tier: "user_fixable",
          message: `${provider} does not accept this key (${check.status}); nothing was stored`,
          fix: `copy the key again from your ${provider} account`,
        });
      if (check.kind === "unreachable" && !unverified)
        throw new SylkError({
          code: "AUTH_UNREACHABLE",
          tier: "transient",
          message: `${provider} could not be asked about the key: ${check.reason}; nothing was stored`,
          fix: "try again later, or store it unchecked with --unverified",
        });
      const credentials = open(profile, { create: true });
      const source = await credentials.store(provider, key, { verified: check.kind === "accepted" });
      return { source, profile: credentials.profile, check: check.kind };
    },
    list: (profile) => open(profile, { create: false }).list(),
    remove: (provider, profile) => open(profile, { create: false }).remove(provider),
    async test({ provider, profile, signal }) {
      const found = await open(profile, { create: false }).find(provider);
      if (found.kind === "missing")
        throw new SylkError({
          code: "AUTH_KEY_MISSING",
          tier: "user_fixable",
          message: `there is no credential for ${provider}${found.skipped.length === 0 ? "" : ` (skipped: ${found.skipped.join("; ")})`}`,
          fix: `\`sylk auth set ${provider}\``,
        });
      parts.onValue(found.value);
      return { source: found.source, place: found.place, check: await verifyKey({ provider, key: found.value, env, signal }) };
    },
  };
  return {
    api,
    find: (provider) => open(undefined, { create: false }).find(provider),
    async keep(provider, key, signal) {
      const before = await open(undefined, { create: false }).find(provider);
      await api.set({ provider, key, unverified: true, signal });
      return async () => {
        const credentials = open(undefined, { create: true });
        const now = await credentials.find(provider);
        // Somebody stored another one meanwhile: that one stays.
        if (now.kind === "found" && now.source !== "environment" && now.value !== key) return;
        if (before.kind === "missing" || before.source === "environment") await credentials.remove(provider);
        else await credentials.store(provider, before.value, { verified: false });
      };
    },
    async modelEnvironment() {
      const full = await open(undefined, { create: false }).modelEnvironment();
      for (const [name, value] of Object.entries(full)) if (value !== undefined && value !== env[name]) parts.onValue(value);
      return full;
    },
  };
}
