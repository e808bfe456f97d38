import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock, type Clock } from "../../kernel/index.ts";
import { createBroker, type CredentialBroker, type CredentialRecord } from "./create-broker.ts";
import type { Keychain } from "./keychain.ts";
import { openCredentials, type CredentialOptions, type Credentials } from "./open-credentials.ts";
import { createToolCredentials } from "./tool-credentials.ts";
import { shippedRole } from "../../../test/support/shipped-roles.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sylk-credentials-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The machine's keychain is neither real nor ours in a test: one that works in memory, and one that is absent. */
function memoryKeychain(): Keychain & { held: Map<string, string> } {
  const held = new Map<string, string>();
  const key = (profile: string, provider: string): string => `${profile}/${provider}`;
  return {
    held,
    available: () => Promise.resolve(true),
    get: (profile, provider) => Promise.resolve(held.get(key(profile, provider))),
    set: (profile, provider, secret) => Promise.resolve(void held.set(key(profile, provider), secret)),
    delete: (profile, provider) => Promise.resolve(held.delete(key(profile, provider))),
  };
}
const absent: Keychain = {
  available: () => Promise.resolve(false),
  get: () => Promise.reject(new Error("no secret service")),
  set: () => Promise.reject(new Error("no secret service")),
  delete: () => Promise.reject(new Error("no secret service")),
};

function open(more: Partial<CredentialOptions> = {}): Credentials {
  return openCredentials({ configDir: folder, env: {}, identity: "machine\nuser", keychain: absent, clock: systemClock, ...more });
}

test("CRE-001 ~LLM-010: environment, then keychain, then project file, then user file; a failing place is skipped", async () => {
  const keychain = memoryKeychain();
  const local = path.join(folder, "local");
  await open().store("openai", "from-user-file", { verified: true });
  expect(await open().find("openai")).toMatchObject({ kind: "found", value: "from-user-file", source: "user_file" });
  await openCredentials({ configDir: local, env: {}, identity: "machine\nuser", keychain: absent, clock: systemClock }).store(
    "openai",
    "from-project",
    { verified: true },
  );
  expect(await open({ projectDir: local }).find("openai")).toMatchObject({ value: "from-project", source: "project_file" });
  keychain.held.set("default/openai", "from-keychain");
  expect(await open({ keychain, projectDir: local }).find("openai")).toMatchObject({ value: "from-keychain", source: "keychain" });
  const env = { OPENAI_API_KEY: "from-env" };
  expect(await open({ keychain, env }).find("openai")).toEqual({
    kind: "found",
    value: "from-env",
    source: "environment",
    place: "OPENAI_API_KEY",
  });
  expect(await open().find("anthropic")).toEqual({ kind: "missing", skipped: ["keychain: no secret service"] });
});

test.each([
  ["anthropic", "ANTHROPIC_API_KEY"],
  ["openai", "OPENAI_API_KEY"],
  ["google", "GOOGLE_API_KEY"],
  ["voyage", "VOYAGE_API_KEY"],
  ["github", "GITHUB_TOKEN"],
])("~CRE-001: %s is looked for in %s", async (provider, name) => {
  expect(await open({ env: { [name]: "value" } }).find(provider)).toMatchObject({ source: "environment", place: name });
  expect(await open({ env: { [name]: "" } }).find(provider)).toMatchObject({ kind: "missing" });
});

test("of Google's two names the one the model gate takes comes first", async () => {
  const env = { GEMINI_API_KEY: "gemini", GOOGLE_API_KEY: "google" };
  expect(await open({ env }).find("google")).toMatchObject({ place: "GOOGLE_API_KEY", value: "google" });
});

test("SEC-025: the SYLK_ name comes before the provider's own, and any name has one", async () => {
  const env = { OPENAI_API_KEY: "plain", SYLK_OPENAI_API_KEY: "ours", GITHUB_TOKEN: "gh", MY_TOOL_TOKEN: "tool", EMPTY_API_KEY: "" };
  const places = await Promise.all(["openai", "github", "my-tool", "empty"].map((name) => open({ env }).find(name)));
  expect(places.map((p) => (p.kind === "found" ? p.place : p.kind))).toEqual([
    "SYLK_OPENAI_API_KEY",
    "GITHUB_TOKEN",
    "MY_TOOL_TOKEN",
    "missing",
  ]);
  await expect(open().find("../x")).rejects.toMatchObject({ code: "CREDENTIAL_NAME" });
});

test("CRE-001 ~CRE-006 ~STO-004: an explicit profile wins over the environment and must exist", async () => {
  const keychain = memoryKeychain();
  const env = { OPENAI_API_KEY: "from-env" };
  await open({ keychain, profile: "work" }).store("openai", "work-key", { verified: true });
  expect(await open({ keychain, env, profile: "work", profileIsExplicit: true }).find("openai")).toMatchObject({ value: "work-key" });
  expect(await open({ keychain, env, profile: "work" }).find("openai")).toMatchObject({ value: "from-env" });
  expect(await open({ keychain }).find("openai")).toMatchObject({ kind: "missing" });
  expect(() => open({ profile: "nobody", profileIsExplicit: true })).toThrow(/no profile "nobody"/);
  expect(readFileSync(path.join(folder, "profiles/work.yaml"), "utf8")).not.toContain("work-key");
});

test("~CRE-002 CRE-005: the keychain is preferred, the file is the fallback, and both are listed and removed", async () => {
  const keychain = memoryKeychain();
  expect(await open({ keychain }).store("openai", "k1", { verified: true })).toBe("keychain");
  expect(await open().store("figma", "k2", { verified: false })).toBe("user_file");
  const credentials = open({ keychain, env: { GITHUB_TOKEN: "x" } });
  expect((await credentials.list()).map((e) => [e.provider, e.source])).toEqual([
    ["figma", "user_file"],
    ["github", "environment"],
    ["openai", "keychain"],
  ]);
  expect(JSON.stringify(await credentials.list())).not.toMatch(/k1|k2/);
  expect(await credentials.remove("openai")).toEqual(["keychain"]);
  expect(await credentials.remove("figma")).toEqual(["user_file"]);
  expect(await credentials.remove("figma")).toEqual([]);
  expect((await credentials.list()).map((e) => e.provider)).toEqual(["github"]);
});

test("CRE-003 CRE-004: the file is sealed, private, bound to machine and passphrase, and never overwritten when unreadable", async () => {
  const file = path.join(folder, "credentials.enc");
  await open({ passphrase: "open sesame" }).store("openai", "a-long-secret", { verified: true });
  const before = readFileSync(file, "utf8");
  expect(before).not.toContain("a-long-secret");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(before)).toMatchObject({
    header: { version: 1, kdf: { name: "argon2id", memory_kib: 65536, passes: 1, parallelism: 4 }, passphrase: true },
  });
  expect(await open({ passphrase: "open sesame" }).find("openai")).toMatchObject({ value: "a-long-secret" });
  for (const wrong of [open({ passphrase: "other" }), open(), open({ passphrase: "open sesame", identity: "other machine" })]) {
    expect(await wrong.find("openai")).toMatchObject({
      kind: "missing",
      skipped: [expect.anything(), expect.stringContaining("cannot be decrypted")],
    });
    await expect(wrong.store("openai", "new", { verified: true })).rejects.toMatchObject({
      code: "CREDENTIALS_UNREADABLE",
      tier: "user_fixable",
    });
  }
  expect(readFileSync(file, "utf8")).toBe(before);
});

test("CRE-003: any change of header, nonce or data is noticed, and each write uses a new nonce", async () => {
  const file = path.join(folder, "credentials.enc");
  await open().store("openai", "secret-1", { verified: true });
  type File = { header: { kdf: { passes: number } }; nonce: string; data: string };
  const read = (): File => JSON.parse(readFileSync(file, "utf8")) as File;
  const first = read();
  await open().store("google", "secret-2", { verified: true });
  const second = read();
  expect(second.nonce).not.toBe(first.nonce);
  const flip = (text: string): string => (text.startsWith("A") ? `B${text.slice(1)}` : `A${text.slice(1)}`);
  for (const broken of [
    { ...second, data: flip(second.data) },
    { ...second, nonce: flip(second.nonce) },
    { ...second, header: { ...second.header, kdf: { ...second.header.kdf, passes: 2 } } },
    {},
  ]) {
    writeFileSync(file, JSON.stringify(broken));
    expect(await open().find("openai")).toMatchObject({ kind: "missing" });
  }
});

test("~SEC-026: model keys from the stores are added to the model's environment only", async () => {
  const env = { PATH: "/bin", OPENAI_API_KEY: "env-key" };
  await open().store("anthropic", "stored", { verified: true });
  await open().store("github", "token", { verified: true });
  expect(await open({ env }).modelEnvironment()).toEqual({ ...env, SYLK_ANTHROPIC_API_KEY: "stored" });
  expect(env).toEqual({ PATH: "/bin", OPENAI_API_KEY: "env-key" });
});

interface Bench {
  broker: CredentialBroker;
  records: CredentialRecord[];
  values: string[];
  advance(ms: number): void;
}

function bench(env: Record<string, string> = { OPENAI_API_KEY: "k-openai", GITHUB_TOKEN: "k-github" }): Bench {
  let now = 1_000_000;
  const clock: Clock = { now: () => now, monotonic: () => now, sleep: () => Promise.resolve() };
  const records: CredentialRecord[] = [];
  const values: string[] = [];
  const broker = createBroker({
    credentials: open({ env }),
    clock,
    scopeOf: (role) => shippedRole(role).credentials,
    record: (r) => Promise.resolve(void records.push(r)),
    onValue: (v) => values.push(v),
  });
  return { broker, records, values, advance: (ms) => (now += ms) };
}
const ask = (role: string, provider: string, toolCallId = "call-1") => ({
  agentId: `${role}-1`,
  role,
  provider,
  toolCallId,
  reason: "test",
});

test.each([
  ["librarian", "openai anthropic voyage"],
  ["academic", "openai anthropic google serpapi"],
  ["archivalist", "openai anthropic"],
  ["engineer", "openai anthropic github?"],
  ["designer", "openai anthropic figma?"],
  ["inspector", "openai anthropic"],
  ["tester", "openai anthropic"],
  ["guide", "openai anthropic"],
  ["architect", "openai anthropic"],
  ["orchestrator", ""],
  ["somebody", ""],
])("CRE-009: %s may use %s and nothing else; where a ? stands, after consent", async (agent, permitted) => {
  const names = ["openai", "anthropic", "google", "voyage", "serpapi", "github", "aws", "figma", "unheard-of"];
  const env = Object.fromEntries(names.map((name) => [`SYLK_${name.toUpperCase().replace("-", "_")}_API_KEY`, "x"]));
  const { broker } = bench(env);
  const marks = { granted: "", consent_required: "?", denied: undefined };
  const answers = await Promise.all(names.map(async (name) => [name, marks[(await broker.request(ask(agent, name))).kind]] as const));
  const got = answers.flatMap(([name, mark]) => (mark === undefined ? [] : [`${name}${mark}`]));
  expect(got.sort()).toEqual(
    permitted
      .split(" ")
      .filter((name) => name !== "")
      .sort(),
  );
});

test("~CRE-009 ~CRE-011: what is outside an agent's scope is refused, and the refusal recorded", async () => {
  const { broker, records } = bench({ OPENAI_API_KEY: "x", AWS_SECRET_ACCESS_KEY: "x", SERPAPI_API_KEY: "x" });
  const outcomes = await Promise.all(
    [
      ask("academic", "serpapi"),
      ask("tester", "aws"),
      ask("orchestrator", "openai"),
      ask("somebody", "openai"),
      ask("librarian", "figma"),
    ].map((r) => broker.request(r)),
  );
  expect(outcomes.map((o) => (o.kind === "denied" ? o.reason : o.kind))).toEqual([
    "granted",
    "scope_violation",
    "scope_violation",
    "scope_violation",
    "scope_violation",
  ]);
  expect(records.map((r) => r.action)).toEqual(["denied", "denied", "denied", "denied", "granted"]);
});

test("CRE-011 CRE-016: the first use of an account needs consent, which is then remembered", async () => {
  const { broker, records } = bench();
  expect(await broker.request(ask("engineer", "github"))).toMatchObject({ kind: "consent_required", provider: "github" });
  broker.consent("engineer", "github", "session");
  expect(await broker.request(ask("engineer", "github"))).toMatchObject({ kind: "granted" });
  expect(await broker.request(ask("engineer", "openai"))).toMatchObject({ kind: "granted" });
  expect(broker.grants()).toEqual([{ role: "engineer", provider: "github", scope: "session" }]);
  broker.consent("engineer", "github", "deny");
  expect(await broker.request(ask("engineer", "github"))).toEqual({ kind: "denied", reason: "user_refused" });
  expect(records.map((r) => [r.action, r.reason])).toEqual([
    ["pending", "awaiting_user_auth"],
    ["granted", "test"],
    ["granted", "test"],
    ["denied", "user_refused"],
  ]);
  expect(records[1]).toMatchObject({ agentId: "engineer-1", provider: "github", toolCallId: "call-1", handleId: expect.any(String) });
  const poor = bench({});
  expect(await poor.broker.request(ask("engineer", "openai"))).toEqual({ kind: "denied", reason: "credential_not_found" });
  expect(await poor.broker.request(ask("engineer", "aws"))).toEqual({ kind: "denied", reason: "scope_violation" });
  expect(poor.records.map((r) => [r.action, r.reason])).toEqual([
    ["denied", "credential_not_found"],
    ["denied", "scope_violation"],
  ]);
});

test("~CRE-010 CRE-016: an override replaces an agent's scope, and consent given for good is kept", async () => {
  const kept: string[] = [];
  const broker = createBroker({
    credentials: open({ env: { GITHUB_TOKEN: "g", OPENAI_API_KEY: "o", AWS_SECRET_ACCESS_KEY: "a" } }),
    clock: systemClock,
    record: () => Promise.resolve(),
    onValue: () => undefined,
    onConsent: (consent) => kept.push(consent),
    consents: ["engineer:github"],
    scopeOf: (role) => (role === "tester" ? { allowed: ["aws"], denied: [], require_auth: ["aws"] } : shippedRole(role).credentials),
  });
  const kind = async (agent: string, provider: string): Promise<string> => (await broker.request(ask(agent, provider))).kind;
  expect(await kind("engineer", "github")).toBe("granted");
  expect(await kind("tester", "openai")).toBe("denied");
  expect(await kind("tester", "aws")).toBe("consent_required");
  broker.consent("tester", "aws", "always");
  expect(await kind("tester", "aws")).toBe("granted");
  expect(kept).toEqual(["tester:aws"]);
});

test("~CRE-012: a handle works once, for its tool call, within 30 seconds", async () => {
  const { broker, values, advance } = bench();
  const grant = async (call = "call-1"): Promise<string> => {
    const outcome = await broker.request(ask("engineer", "openai", call));
    if (outcome.kind !== "granted") throw new Error(outcome.kind);
    expect(JSON.stringify(outcome)).not.toContain("k-openai");
    return outcome.handle.id;
  };
  const first = await grant();
  expect(await broker.resolve(first, "call-2")).toEqual({ kind: "refused", reason: "other_tool_call" });
  expect(await broker.resolve(first, "call-1")).toEqual({ kind: "resolved", value: "k-openai" });
  expect(await broker.resolve(first, "call-1")).toEqual({ kind: "refused", reason: "used" });
  expect(values).toEqual(["k-openai"]);
  const second = await grant();
  advance(30_000);
  expect(await broker.resolve(second, "call-1")).toEqual({ kind: "refused", reason: "expired" });
  expect(await broker.resolve("cred_x", "call-1")).toEqual({ kind: "refused", reason: "unknown" });
});

const nobody = { consent: () => Promise.reject(new Error("asked")), supply: () => Promise.reject(new Error("asked")) };

test("CRE-014: however a call ends, what it held is taken back", async () => {
  const { broker, records } = bench({ OPENAI_API_KEY: "k-openai", ANTHROPIC_API_KEY: "k-anthropic" });
  const tools = createToolCredentials({ broker, agentId: "engineer-1", role: "engineer", clock: systemClock, ask: nobody });
  let given: Record<string, string> = {};
  const use = tools.use({ providers: ["openai"], reason: "test" }, (env) => {
    given = env;
    expect({ ...env }).toEqual({ OPENAI_API_KEY: "k-openai" });
    return Promise.reject(new Error("the tool broke"));
  });
  await expect(use).rejects.toThrow("the tool broke");
  expect(given).toEqual({ OPENAI_API_KEY: "" });
  const handle = records.find((r) => r.action === "granted")?.handleId ?? "";
  expect(await broker.resolve(handle, records[0]?.toolCallId ?? "")).toEqual({ kind: "refused", reason: "unknown" });
  const unused = await broker.request(ask("engineer", "anthropic", "call-9"));
  await broker.finish("call-9");
  expect(records.at(-1)).toMatchObject({ action: "revoked", provider: "anthropic", toolCallId: "call-9" });
  expect(unused.kind === "granted" && (await broker.resolve(unused.handle.id, "call-9"))).toMatchObject({ kind: "refused" });
});

test("~CRE-014 ~CRE-018: the end of a call revokes what was not used; expiry and revocation are recorded", async () => {
  const { broker, records, advance } = bench();
  const one = await broker.request(ask("engineer", "openai", "call-1"));
  await broker.request(ask("engineer", "openai", "call-2"));
  await broker.finish("call-1");
  advance(30_000);
  await broker.sweep();
  expect(records.map((r) => r.action)).toEqual(["granted", "granted", "revoked", "expired"]);
  expect(one.kind === "granted" && (await broker.resolve(one.handle.id, "call-1"))).toEqual({ kind: "refused", reason: "unknown" });
});
