/** Roles for surfaces: which there are, what each is, and where every field of it was written. */
import type { Role } from "../protocol/index.ts";
import type { Roles } from "./roles/create-roles.ts";
import type { RoleProblem } from "./roles/role-parts.ts";

export interface AgentLine {
  role: string;
  summary: string;
  /** Files beside its own that say something of it. */
  changed_by: string[];
  problems: number;
}

export interface AgentDetail {
  role: string;
  fields: { name: string; value: unknown; from: string; file?: string | undefined }[];
  problems: readonly RoleProblem[];
}

export interface AgentApi {
  list(): { agents: AgentLine[]; problems: RoleProblem[] };
  show(role: string): AgentDetail;
}

export function createAgentApi(roles: Roles): AgentApi {
  const line = ({ spec, origins, problems }: Role): AgentLine => {
    const files = Object.values(origins).flatMap(({ from, file }) => (from === "shipped" || file === undefined ? [] : [file]));
    return { role: spec.id, summary: spec.summary, changed_by: [...new Set(files)], problems: problems.length };
  };
  return {
    list: () => ({ agents: roles.all().map(line), problems: roles.strays() }),
    show(id) {
      const { spec, origins, problems } = roles.mustGet(id);
      const fields = (Object.keys(origins) as (keyof typeof origins)[]).map((name) => ({
        name,
        value: spec[name] ?? null,
        ...origins[name],
      }));
      return { role: spec.id, fields, problems };
    },
  };
}

/** What a user or project wrote for the role, then the default model, then the tier it ships with where that is set up. */
export function modelOfRole(
  { spec, origins }: Role,
  llm: { defaultModel?: string | null | undefined; tiers: Readonly<Record<string, unknown>> },
): string | undefined {
  const { model } = spec;
  if (model !== undefined && origins.model.from !== "shipped") return model;
  return llm.defaultModel ?? (model !== undefined && Object.hasOwn(llm.tiers, model) ? model : undefined);
}
