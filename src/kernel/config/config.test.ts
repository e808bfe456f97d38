import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { tempDir } from "../../../test/support/temp.ts";
import { editConfigFile } from "./edit-config.ts";
import { openConfig, units } from "./index.ts";
import { loadConfig } from "./load-config.ts";
import { schemaLeaves } from "./schema-leaves.ts";

const schema = z.strictObject({
  profile: z.string().default("default"),
  log: z.strictObject({ level: z.enum(["debug", "info"]).default("info"), days: z.int().default(30) }).prefault({}),
  llm: z
    .strictObject({
      timeout: units.duration("120s"),
      default_provider: z.string().default("anthropic"),
      providers: z.record(z.string(), z.strictObject({ base_url: z.string().optional(), enabled: z.boolean().default(true) })).default({}),
    })
    .prefault({}),
  limits: z.strictObject({ quota: units.byteSize("1GB"), share: units.ratio(0.2), names: z.array(z.string()).default([]) }).prefault({}),
  security: z.strictObject({ sandbox: z.boolean().default(false).meta({ strictest: true }) }).prefault({}),
});

/** A project whose every setting but the last two sections is trusted or free. */
const project = (file: string, trusted = true) => ({
  root: path.dirname(file),
  file,
  standing: ([section]: readonly string[]) =>
    section === "security" ? ("personal" as const) : section === "log" ? ("free" as const) : ("trusted" as const),
  trusts: () => trusted,
});

function place() {
  const dir = tempDir();
  const file = (name: string, text?: string): string => {
    const full = path.join(dir, name);
    mkdirSync(path.dirname(full), { recursive: true });
    if (text !== undefined) writeFileSync(full, text);
    return full;
  };
  return { dir, file };
}

test("~CFG-002: layers win in order, maps merge, lists are replaced whole", () => {
  const { file } = place();
  const sources = {
    project: project(file("p.yaml", "log: { level: debug, days: 1 }\nlimits: { names: [a, b] }\nprofile: project\n")),
    userFile: file("u.yaml", "log: { days: 2 }\nprofile: user\n"),
    localFile: file("l.yaml", "limits: { names: [c] }\nprofile: local\n"),
    env: { SYLK_PROFILE: "environment" },
    commandLine: { limits: { share: 0.5 } },
  };
  const { config, warnings, origin } = loadConfig(schema, sources);
  expect(warnings).toEqual([]);
  expect(config.log).toEqual({ level: "debug", days: 2 });
  expect(config.limits).toMatchObject({ names: ["c"], share: 0.5 });
  expect(config.profile).toBe("environment");
  expect(origin(["log", "days"]).layer).toBe("user");
  expect(origin(["llm", "timeout"]).layer).toBe("defaults");
});

test("CFG-003: environment names are resolved against known paths; unknown ones warn; credentials are left alone", () => {
  const { config, warnings } = loadConfig(schema, {
    env: {
      SYLK_LLM_TIMEOUT: "30s",
      SYLK_LLM_DEFAULT_PROVIDER: "openai",
      SYLK_LOG_DAYS: "7",
      SYLK_NOPE: "x",
      SYLK_GITHUB_TOKEN: "t",
      SYLK_HOME: "/h",
      SYLK_INVOCATION: "a command that was started here",
    },
  });
  expect(config.llm).toMatchObject({ timeout: 30_000, default_provider: "openai" });
  expect(config.log.days).toBe(7);
  expect(warnings.map((warning) => warning.path)).toEqual(["SYLK_NOPE"]);
});

test("CFG-004: a _FILE variable merges YAML at its path", () => {
  const { file } = place();
  const { config } = loadConfig(schema, { env: { SYLK_LLM_PROVIDERS_FILE: file("providers.yaml", "local: { enabled: false }\n") } });
  expect(config.llm.providers).toEqual({ local: { enabled: false } });
});

test("CFG-005: an invalid value is named and its default used; the rest stays", () => {
  const { file } = place();
  const userFile = file("u.yaml", "log: { level: loud, days: 3 }\nllm: { timeout: soon }\nunknown_word: 1\n");
  const { config, warnings } = loadConfig(schema, { userFile, env: {} });
  expect(config.log).toEqual({ level: "info", days: 3 });
  expect(config.llm.timeout).toBe(120_000);
  expect(
    warnings
      .map(({ path: where, sourceLayer, rejectedValue }) => ({ where, sourceLayer, rejectedValue }))
      .toSorted((a, b) => a.where.localeCompare(b.where)),
  ).toEqual([
    { where: "llm.timeout", sourceLayer: "user", rejectedValue: "soon" },
    { where: "log.level", sourceLayer: "user", rejectedValue: "loud" },
    { where: "unknown_word", sourceLayer: "user", rejectedValue: "1" },
  ]);
});

test("CFG-005: a security key that does not validate falls to its strictest value; secret-looking values are masked", () => {
  const { file } = place();
  const { config, warnings } = loadConfig(schema, { userFile: file("u.yaml", "security: { sandbox: maybe }\napi_key: sk-123\n"), env: {} });
  expect(config.security.sandbox).toBe(true);
  expect(JSON.stringify(warnings)).not.toContain("sk-123");
});

test("~CFG-002: a broken file is a warning with its line, never a crash", () => {
  const { file } = place();
  const { config, warnings } = loadConfig(schema, {
    userFile: file("u.yaml", "log:\n  level: debug\n bad indent: [\n"),
    project: project(file("list.yaml", "- a\n")),
    env: {},
  });
  expect(config.log.level).toBe("info");
  expect(warnings).toHaveLength(2);
  expect(warnings.find((warning) => warning.sourceLayer === "user")?.message).toMatch(/line [23]/);
});

test("~CFG-002: of a project that is not trusted only what is free counts, of a trusted one all but what is the user's alone", () => {
  const { file } = place();
  const text = "log: { days: 3 }\nllm: { providers: { 'a.b': { base_url: 'http://{env:KEY}' } } }\nsecurity: { sandbox: false }\n";
  const projectFile = file("p.yaml", text);
  const env = { KEY: "secret" };
  const distrusted = loadConfig(schema, { project: project(projectFile, false), env });
  expect(distrusted.config).toMatchObject({ log: { days: 3 }, llm: { providers: {} } });
  expect(distrusted.warnings.map(({ path: name, cause }) => [name, cause])).toEqual([
    ['llm.providers."a.b".base_url', "untrusted"],
    ["security.sandbox", "personal"],
  ]);
  const trusted = loadConfig(schema, { project: project(projectFile), env });
  expect(trusted.config.llm.providers["a.b"]?.base_url).toBe("http://secret");
  expect(trusted.warnings.map(({ path: name }) => name)).toEqual(["security.sandbox"]);
});

test("C2: nothing in a project's file is replaced by the environment unless it is trusted, not even in a harmless setting", () => {
  const { file } = place();
  const projectFile = file("p.yaml", "log: { level: '{env:LEVEL}' }\nllm: { default_provider: '{env:LEVEL}' }\n");
  const { config, warnings } = loadConfig(schema, { project: project(projectFile, false), env: { LEVEL: "debug" } });
  expect(config.log.level).toBe("info");
  expect(config.llm.default_provider).toBe("anthropic");
  expect(warnings.map(({ path: name }) => name)).toEqual(["llm.default_provider", "log.level"]);
});

test("a key that only looks like the name of a security setting is an unknown one", () => {
  const { file } = place();
  const { config, warnings } = loadConfig(schema, { userFile: file("u.yaml", "security.sandbox: 1\n"), env: {} });
  expect(config.security.sandbox).toBe(false);
  expect(warnings).toMatchObject([{ path: '"security.sandbox"', message: "is not a known setting" }]);
});

test("what a project keeps from its settings does not reject a reload", () => {
  const { file } = place();
  const projectFile = file("p.yaml", "log: { days: 3 }\nprofile: evil\n");
  using source = openConfig(schema, () => ({ project: project(projectFile, false), env: {} }), new ManualClock());
  writeFileSync(projectFile, "log: { days: 4 }\nprofile: evil\n");
  expect(source.reload()).toMatchObject({ kind: "applied", config: { log: { days: 4 }, profile: "default" } });
});

test("{env:NAME} in a value is replaced; an unset name removes the value and says so", () => {
  const { file } = place();
  const { config, warnings } = loadConfig(schema, {
    userFile: file("u.yaml", "profile: '{env:WHO}-x'\nllm: { default_provider: '{env:MISSING}' }\n"),
    env: { WHO: "me" },
  });
  expect(config.profile).toBe("me-x");
  expect(config.llm.default_provider).toBe("anthropic");
  expect(warnings.map((warning) => warning.path)).toEqual(["llm.default_provider"]);
});

test.each([
  ["1h30m", 5_400_000],
  ["500ms", 500],
  ["168h", 604_800_000],
  ["10", undefined],
  ["1x", undefined],
  ["", undefined],
])("CFG-008: duration %s", (text, ms) => {
  expect(units.parseDuration(text)).toBe(ms);
});

test("CFG-001: the JSON Schema names every key with its default", () => {
  const leaves = schemaLeaves(schema);
  expect(leaves.find((leaf) => leaf.path.join(".") === "llm.timeout")).toMatchObject({ type: "string", default: "120s" });
  expect(leaves.map((leaf) => leaf.path.join("."))).toContain("limits.share");
});

test("~CFG-006 CFG-007: a valid change is applied at once, an invalid one leaves the old values and says why", () => {
  const { file } = place();
  const userFile = file("u.yaml", "log: { days: 1 }\n");
  using source = openConfig(schema, () => ({ userFile, env: {} }), new ManualClock());
  const seen: string[] = [];
  source.onChange((outcome) => seen.push(outcome.kind));
  const snapshot = source.loaded.config;
  writeFileSync(userFile, "log: { days: 9 }\n");
  expect(source.reload()).toMatchObject({ kind: "applied" });
  writeFileSync(userFile, "log: { days: many }\n");
  expect(source.reload()).toMatchObject({ kind: "rejected", warnings: [expect.objectContaining({ path: "log.days" })] });
  expect(source.loaded.config.log.days).toBe(9);
  expect(snapshot.log.days).toBe(1);
  expect(Object.isFrozen(snapshot.log)).toBe(true);
  expect(seen).toEqual(["applied", "rejected"]);
});

test("~CFG-006: a saved file is seen by its folder and debounced", async () => {
  const { file } = place();
  const userFile = file("u.yaml", "log: { days: 1 }\n");
  const clock = new ManualClock();
  using source = openConfig(schema, () => ({ userFile, env: {} }), clock);
  const applied = new Promise<number>((resolve) =>
    source.onChange((outcome) => outcome.kind === "applied" && resolve(outcome.config.log.days)),
  );
  source.startWatching();
  writeFileSync(userFile, "log: { days: 2 }\n");
  while (clock.sleeping === 0) await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(600);
  expect(await applied).toBe(2);
});

test("setting a value keeps comments and refuses what does not validate", () => {
  const { file } = place();
  const userFile = file("u.yaml", "# mine\nlog:\n  level: info # quiet\n");
  editConfigFile(schema, userFile, { path: ["log", "level"], valueText: "debug" });
  expect(readFileSync(userFile, "utf8")).toBe("# mine\nlog:\n  level: debug # quiet\n");
  expect(() => editConfigFile(schema, userFile, { path: ["log", "level"], valueText: "loud" })).toThrow(
    expect.objectContaining({ code: "CONFIG_INVALID_VALUE" }),
  );
  expect(() => editConfigFile(schema, userFile, { path: ["nope"], valueText: "1" })).toThrow(
    expect.objectContaining({ code: "CONFIG_INVALID_VALUE" }),
  );
  expect(readFileSync(userFile, "utf8")).toContain("level: debug");
});
