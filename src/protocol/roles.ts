/**
 * A role as one value: who it is, what it may do, what it remembers. Read from `agents/<role>.md`; each
 * floor takes the fields it needs and nobody keeps a table by role names.
 */
import { z } from "zod";
import { CHOICES } from "./choices.ts";

const CAPABILITIES = [
  "file_read",
  "file_write",
  "execute",
  /** Safe-listed commands that only look. */
  "execute_inspection",
  "network",
  /** GET requests and searches only. */
  "network_read",
  "knowledge_write",
  "agent_control",
  "pipeline_control",
  "credential_control",
  "configure",
] as const;
const capability = z.enum(CAPABILITIES);

/** `visit` is the part of `branch` that only goes to what exists; `commit_improvements` the part of `commit` that needs better tests. */
const gitRight = z.enum(["read", "commit", "commit_improvements", "visit", "branch", "history", "remote", "clone"]);

const credentialScope = z.strictObject({
  allowed: z.array(z.string().min(1)).default([]),
  denied: z.array(z.string().min(1)).default([]),
  /** Providers whose first use by this role needs the user's consent. */
  require_auth: z.array(z.string().min(1)).default([]),
});

/** Another role's memory that this one may read. */
const memoryReference = z.strictObject({
  agent: z.string().min(1),
  file: z.enum(["decision-log.md", "ground-truth.md", "conversation-context.md"]).default("decision-log.md"),
  mode: z.enum(CHOICES.referenceMode).default("recent"),
  required: z.boolean().default(false),
});

const factKind = z.enum(["source", "configs", "manifests", "tests", "planning", "implementation", "structure", "architecture"]);

/** 100 is the user's own. */
const rolePriority = z.literal([80, 60, 40, 20]);

/** The least a role has: what an unknown one gets, and what a file leaves out. */
export const roleFields = {
  summary: z.string().trim().min(1).max(300).default("a role of its own"),
  prompt: z.string().trim().min(1).max(8_000).default("You are {{role}}, one member of a software team working in a real project folder."),
  /** A tier of the settings (`fast`, `balanced`, …) or `provider/model`. */
  model: z.string().min(1).optional(),
  priority: rolePriority.default(60),
  capabilities: z.array(capability).default(["file_read"]),
  git: z.array(gitRight).default([]),
  credentials: credentialScope.prefault({}),
  /** Further actions it is offered in tasks that only read. */
  actions: z.array(z.string().regex(/^[a-z][a-z0-9_]*$/)).default([]),
  /** Roles it may ask what they know; what is not named here cannot be asked. */
  consults: z.array(z.string().regex(/^[a-z][a-z0-9_-]{0,40}$/)).default([]),
  /** Whether it is somebody the user speaks with: always, while its phase lasts, or never, and then others pass on what it asks. */
  speaks: z.enum(["always", "phase", "never"]).default("phase"),
  /** 1 keeps most. */
  memory_tier: z.literal([1, 2, 3]).default(3),
  reads_from: z.array(memoryReference).default([]),
  /** Share of its memory's budget that references may take together. */
  cross_ref_budget_cap: z.number().min(0).max(1).default(1),
  learns: z.array(z.enum(["preferences", "mistakes"])).default(["preferences", "mistakes"]),
  /** What it reads off the project's files into its ground truth. */
  facts: z.array(factKind).default([]),
  facts_budget: z.int().min(1).optional(),
};

export type RoleSpec = { id: string } & z.output<z.ZodObject<typeof roleFields>>;
type RoleField = keyof typeof roleFields;

/** Where a field's value was written. */
interface RoleOrigin {
  from: "default" | "shipped" | "user" | "project";
  file?: string | undefined;
}

interface RoleProblem {
  file: string;
  field?: string | undefined;
  message: string;
}

/** A role as it holds here. */
export interface Role {
  spec: RoleSpec;
  origins: Readonly<Record<RoleField, RoleOrigin>>;
  /** What in its files does not count, and why. */
  problems: readonly RoleProblem[];
}
