/**
 * Where a secret comes from: environment, keychain, encrypted file, in that order (CRE-001). A place
 * that fails is skipped and named. A profile chosen explicitly wins over the environment.
 */
import path from "node:path";
import { SylkError, messageOf, withDeadline, type Clock, must } from "../../kernel/index.ts";
import { CREDENTIAL_NAME, MODEL_PROVIDERS, OTHER_SERVICES, variablesOf } from "./credential-names.ts";
import { createEncryptedFile, type EncryptedFile } from "./encrypted-file.ts";
import type { Keychain } from "./keychain.ts";
import { createProfiles } from "./profiles.ts";

export type CredentialSource = "environment" | "keychain" | "project_file" | "user_file";

export type CredentialLookup =
  | { kind: "found"; value: string; source: CredentialSource; /** Variable or file. */ place: string }
  | { kind: "missing"; /** Places that could not be asked, and why. */ skipped: string[] };

export interface CredentialEntry {
  provider: string;
  profile: string;
  source: CredentialSource;
  place: string;
}

export interface Credentials {
  find(provider: string): Promise<CredentialLookup>;
  /** Keychain when it works, else the encrypted file. Says where it went. */
  store(provider: string, value: string, options: { verified: boolean }): Promise<CredentialSource>;
  /** Removes it from keychain and files; what was removed. */
  remove(provider: string): Promise<CredentialSource[]>;
  /** Everything that would answer, strongest first, without values. */
  list(): Promise<CredentialEntry[]>;
  /** The given environment plus the stored keys of model providers it lacks. */
  modelEnvironment(): Promise<Record<string, string | undefined>>;
  readonly profile: string;
}

export interface CredentialOptions {
  configDir: string;
  /** The project's folder in the user's space, when there is one. */
  projectDir?: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
  identity: string;
  passphrase?: string | undefined;
  profile?: string | undefined;
  /** The profile was named on the command line or by SYLK_PROFILE. */
  profileIsExplicit?: boolean | undefined;
  keychain: Keychain;
  clock: Clock;
}

const KEYCHAIN_TIMEOUT_MS = 5_000;

function checkName(provider: string): void {
  if (!CREDENTIAL_NAME.test(provider))
    throw new SylkError({
      code: "CREDENTIAL_NAME",
      tier: "user_fixable",
      message: `"${provider}" is not a credential name`,
      fix: "use a lower-case name such as anthropic, openai or github",
    });
}

export function openCredentials(options: CredentialOptions): Credentials {
  const { env, keychain, clock } = options;
  const profile = options.profile ?? "default";
  const profiles = createProfiles(options.configDir);
  const key = { identity: options.identity, passphrase: options.passphrase };
  const userFile = createEncryptedFile(path.join(options.configDir, "credentials.enc"), key);
  const projectFile =
    options.projectDir === undefined ? undefined : createEncryptedFile(path.join(options.projectDir, "credentials.enc"), key);
  const files: { source: CredentialSource; file: EncryptedFile }[] = [
    ...(projectFile === undefined ? [] : [{ source: "project_file" as const, file: projectFile }]),
    { source: "user_file", file: userFile },
  ];
  if (options.profileIsExplicit === true && profile !== "default" && !profiles.exists(profile))
    throw new SylkError({
      code: "PROFILE_UNKNOWN",
      tier: "user_fixable",
      message: `there is no profile "${profile}"`,
      fix: `create it with \`sylk auth set <provider> --profile ${profile}\``,
    });

  const bounded = <T>(what: string, work: () => Promise<T>): Promise<T> =>
    withDeadline({ clock, timeoutMs: KEYCHAIN_TIMEOUT_MS, what }, work);

  const fromEnvironment = (provider: string): CredentialLookup => {
    const variable = variablesOf(provider).find((name) => (env[name] ?? "") !== "");
    return variable === undefined
      ? { kind: "missing", skipped: [] }
      : { kind: "found", value: must(env[variable]), source: "environment", place: variable };
  };
  const fromStores = async (provider: string): Promise<CredentialLookup> => {
    const skipped: string[] = [];
    try {
      const value = await bounded("the keychain", () => keychain.get(profile, provider));
      if (value !== undefined && value !== "") return { kind: "found", value, source: "keychain", place: `sylk:${profile}` };
    } catch (error) {
      skipped.push(`keychain: ${messageOf(error)}`);
    }
    for (const { source, file } of files) {
      try {
        const value = file.read()[profile]?.[provider]?.value;
        if (value !== undefined && value !== "") return { kind: "found", value, source, place: file.path };
      } catch (error) {
        skipped.push(messageOf(error));
      }
    }
    return { kind: "missing", skipped };
  };

  const find = async (provider: string): Promise<CredentialLookup> => {
    checkName(provider);
    const environment = fromEnvironment(provider);
    if (environment.kind === "found" && options.profileIsExplicit !== true) return environment;
    const stored = await fromStores(provider);
    return stored.kind === "found" || environment.kind === "missing" ? stored : environment;
  };

  const removeFromKeychain = async (provider: string): Promise<boolean> => {
    try {
      return await bounded(
        "the keychain",
        async () => (await keychain.get(profile, provider)) !== undefined && keychain.delete(profile, provider),
      );
    } catch {
      return false; // No keychain holds it where there is no keychain.
    }
  };

  return {
    profile,
    find,
    async store(provider, value, { verified }) {
      checkName(provider);
      const usable = await bounded("the keychain", () => keychain.available()).catch(() => false);
      if (usable) await bounded("the keychain", () => keychain.set(profile, provider, value));
      else
        userFile.update((table) => {
          (table[profile] ??= {})[provider] = { value, verified, savedAt: clock.now() };
        });
      profiles.mark(profile, provider, true);
      return usable ? "keychain" : "user_file";
    },
    async remove(provider) {
      checkName(provider);
      const removed: CredentialSource[] = [];
      if (await removeFromKeychain(provider)) removed.push("keychain");
      for (const { source, file } of files) {
        if (file.read()[profile]?.[provider] === undefined) continue;
        file.update((table) => delete table[profile]?.[provider]);
        removed.push(source);
      }
      if (removed.length > 0) profiles.mark(profile, provider, false);
      return removed;
    },
    async list() {
      const entries: CredentialEntry[] = [];
      const names = new Set([...MODEL_PROVIDERS, ...OTHER_SERVICES, ...profiles.providers(profile)]);
      for (const { file } of files) for (const name of Object.keys(file.read()[profile] ?? {})) names.add(name);
      for (const provider of [...names].sort()) {
        const found =
          profiles.providers(profile).includes(provider) || fromEnvironment(provider).kind === "found" ? await find(provider) : undefined;
        if (found?.kind === "found") entries.push({ provider, profile, source: found.source, place: found.place });
      }
      return entries;
    },
    async modelEnvironment() {
      const known =
        options.profileIsExplicit === true ? MODEL_PROVIDERS : MODEL_PROVIDERS.filter((p) => fromEnvironment(p).kind === "missing");
      const marked = new Set(profiles.providers(profile));
      const added: Record<string, string> = {};
      for (const provider of known.filter((p) => marked.has(p))) {
        const found = await find(provider);
        if (found.kind === "found") added[must(variablesOf(provider)[0])] = found.value;
      }
      return { ...env, ...added };
    },
  };
}
