/** `config.yaml` of the memory folder: tiers, budgets, thresholds, who reads whom. What it leaves out comes from the roles (SID-002). */
import { existsSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { messageOf, SylkError, wording, projectFile } from "../../kernel/index.ts";
import { type RoleSpec, roleFields } from "../../protocol/index.ts";

const matrixEntry = z.strictObject({
  reads_from: z.array(roleFields.reads_from.unwrap().element).default([]),
  /** Share of the session budget that references may take together. */
  cross_ref_budget_cap: z.number().min(0).max(1).default(1),
});

const configSchema = z.strictObject({
  tiers: z.record(z.string(), z.union([z.literal(1), z.literal(2), z.literal(3)])).optional(),
  session_budgets: z.strictObject({ tier_1: z.int().default(300_000), tier_2: z.int().default(100_000) }).prefault({}),
  ground_truth_budgets: z.record(z.string(), z.int()).optional(),
  budget_warn_at: z.number().default(0.8),
  budget_alert_at: z.number().default(0.9),
  budget_archive_at: z.number().default(1),
  recent_n: z.int().min(1).default(20),
  recent_days: z.int().min(1).default(30),
  context_summary_tokens: z.int().default(2_000),
  cross_references: z.record(z.string(), matrixEntry).optional(),
  /** Folders and globs that hold what each kind of agent looks at. */
  planning_globs: z.array(z.string()).default(["docs/plans/**/*.md", "docs/spec/**/*.md", "plans/**/*.md"]),
  implementation_globs: z.array(z.string()).default(["docs/stories/**/*.md", "docs/implementation/**/*.md", "stories/**/*.md"]),
  architecture_globs: z
    .array(z.string())
    .default(["**/ARCHITECTURE.md", "docs/architecture/**/*.md", "docs/decisions/**/*.md", "docs/adr/**/*.md"]),
  exclude: z.array(z.string()).default([]),
});
type Written = z.output<typeof configSchema>;
type ByRole = { [K in "tiers" | "ground_truth_budgets" | "cross_references"]: NonNullable<Written[K]> };

/** Everything has a value; by role, where the file says nothing, the one of the role itself. */
export interface MemoryConfig extends Omit<Written, keyof ByRole>, ByRole {
  /** Which facts each role with ground truth collects, the role with the most room first. */
  facts: Readonly<Record<string, readonly RoleSpec["facts"][number][]>>;
}

/** What the memory needs to know of a role. */
export type RoleMemory = Pick<RoleSpec, "id" | "memory_tier" | "reads_from" | "cross_ref_budget_cap" | "facts" | "facts_budget">;

function withRoles(written: Written, roles: readonly RoleMemory[]): MemoryConfig {
  const by = <T>(valueOf: (role: RoleMemory) => T | undefined): Record<string, T> =>
    Object.fromEntries(
      roles.flatMap((role) => {
        const value = valueOf(role);
        return value === undefined ? [] : [[role.id, value]];
      }),
    );
  const collecting = roles
    .filter(({ facts }) => facts.length > 0)
    .toSorted((a, b) => (b.facts_budget ?? 0) - (a.facts_budget ?? 0) || (a.id < b.id ? -1 : 1));
  return {
    ...written,
    tiers: written.tiers ?? by((role) => role.memory_tier),
    ground_truth_budgets: written.ground_truth_budgets ?? by((role) => role.facts_budget),
    cross_references:
      written.cross_references ??
      by(({ reads_from, cross_ref_budget_cap }) => (reads_from.length === 0 ? undefined : { reads_from, cross_ref_budget_cap })),
    facts: Object.fromEntries(collecting.map(({ id, facts }) => [id, facts])),
  };
}

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

export function readMemoryConfig(memoryDir: string, roles: readonly RoleMemory[]): MemoryConfig {
  const file = path.join(memoryDir, "config.yaml");
  const found = existsSync(memoryDir) ? projectFile.read(memoryDir, "config.yaml") : ({ kind: "none" } as const);
  if (found.kind === "none") return withRoles(configSchema.parse({}), roles);
  try {
    if (found.kind === "refused" || found.cut) throw new Error(found.kind === "refused" ? found.reason : "is too large");
    return withoutSelfReference(withRoles(configSchema.parse(parse(found.text) ?? {}), roles), file);
  } catch (error) {
    if (error instanceof SylkError) throw error;
    throw new SylkError({
      code: "CONFIG_MEMORY_INVALID",
      tier: "user_fixable",
      message: `${file}: ${error instanceof z.ZodError ? wording.issues(error) : (messageOf(error).split("\n")[0] ?? "")}`,
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
