/** `config.yaml` of the memory folder: tiers, budgets, thresholds, who reads whom. Everything has a default (SID-002). */
import { existsSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { messageOf, plainIssues, readProjectFile, SylkError } from "../../kernel/index.ts";

export const MODES = ["full", "recent", "summary"] as const;

export const reference = z.strictObject({
  agent: z.string(),
  file: z.enum(["decision-log.md", "ground-truth.md", "conversation-context.md"]).default("decision-log.md"),
  mode: z.enum(MODES).default("recent"),
  required: z.boolean().default(false),
});
export type Reference = z.output<typeof reference>;

const READS_ALL = ["architect", "archivalist", "orchestrator"].map((agent) => ({ agent }));

const matrixEntry = z.strictObject({
  reads_from: z.array(reference).default([]),
  /** Share of the session budget that references may take together. */
  cross_ref_budget_cap: z.number().min(0).max(1).default(1),
});

const configSchema = z.strictObject({
  tiers: z.record(z.string(), z.union([z.literal(1), z.literal(2), z.literal(3)])).default({
    inspector: 1,
    architect: 1,
    archivalist: 1,
    orchestrator: 1,
    librarian: 2,
    academic: 2,
    tester: 2,
    guide: 2,
    engineer: 3,
    designer: 3,
  }),
  session_budgets: z.strictObject({ tier_1: z.int().default(300_000), tier_2: z.int().default(100_000) }).prefault({}),
  ground_truth_budgets: z
    .record(z.string(), z.int())
    .default({ inspector: 200_000, architect: 150_000, archivalist: 100_000, orchestrator: 100_000 }),
  budget_warn_at: z.number().default(0.8),
  budget_alert_at: z.number().default(0.9),
  budget_archive_at: z.number().default(1),
  recent_n: z.int().min(1).default(20),
  recent_days: z.int().min(1).default(30),
  context_summary_tokens: z.int().default(2_000),
  cross_references: z.record(z.string(), matrixEntry).default({
    inspector: matrixEntry.parse({ reads_from: READS_ALL, cross_ref_budget_cap: 0.5 }),
    engineer: matrixEntry.parse({ reads_from: [{ agent: "architect" }] }),
    tester: matrixEntry.parse({ reads_from: [{ agent: "inspector" }] }),
  }),
  /** Folders and globs that hold what each kind of agent looks at. */
  planning_globs: z.array(z.string()).default(["docs/plans/**/*.md", "docs/spec/**/*.md", "plans/**/*.md"]),
  implementation_globs: z.array(z.string()).default(["docs/stories/**/*.md", "docs/implementation/**/*.md", "stories/**/*.md"]),
  architecture_globs: z
    .array(z.string())
    .default(["**/ARCHITECTURE.md", "docs/architecture/**/*.md", "docs/decisions/**/*.md", "docs/adr/**/*.md"]),
  exclude: z.array(z.string()).default([]),
});
export type MemoryConfig = z.output<typeof configSchema>;

/** An agent naming itself is an error; the rest of the matrix is checked where it is used (XRF-001). */
function withoutSelfReference(config: MemoryConfig, file: string): MemoryConfig {
  for (const [agent, entry] of Object.entries(config.cross_references))
    if (entry.reads_from.some((one) => one.agent === agent)) throw selfReference(file, agent);
  return config;
}

/** An agent always has its own files. */
export function selfReference(where: string, agent: string): SylkError {
  return new SylkError({
    code: "CONFIG_MEMORY_SELF_REFERENCE",
    tier: "user_fixable",
    message: `${where}: ${agent} refers to itself`,
    fix: "an agent always has its own files; take the reference out",
  });
}

export function readMemoryConfig(memoryDir: string): MemoryConfig {
  const file = path.join(memoryDir, "config.yaml");
  const found = existsSync(memoryDir) ? readProjectFile(memoryDir, "config.yaml") : ({ kind: "none" } as const);
  if (found.kind === "none") return configSchema.parse({});
  try {
    if (found.kind === "refused" || found.cut) throw new Error(found.kind === "refused" ? found.reason : "is too large");
    return withoutSelfReference(configSchema.parse(parse(found.text) ?? {}), file);
  } catch (error) {
    if (error instanceof SylkError) throw error;
    throw new SylkError({
      code: "CONFIG_MEMORY_INVALID",
      tier: "user_fixable",
      message: `${file}: ${error instanceof z.ZodError ? plainIssues(error) : (messageOf(error).split("\n")[0] ?? "")}`,
      fix: "correct the file, or remove it to use the defaults",
      cause: error,
    });
  }
}

export function tierOf(config: MemoryConfig, agent: string): 1 | 2 | 3 {
  return config.tiers[agent] ?? 3;
}

/** Undefined: no budget. */
export function sessionBudget(config: MemoryConfig, agent: string): number | undefined {
  const tier = tierOf(config, agent);
  return tier === 1 ? config.session_budgets.tier_1 : tier === 2 ? config.session_budgets.tier_2 : undefined;
}

export const SIDECAR_FILES = ["ground-truth.md", "decision-log.md", "conversation-context.md"] as const;
export type SidecarFile = (typeof SIDECAR_FILES)[number];

export function filesOfTier(tier: 1 | 2 | 3): SidecarFile[] {
  return tier === 1 ? [...SIDECAR_FILES] : tier === 2 ? ["decision-log.md", "conversation-context.md"] : ["decision-log.md"];
}
