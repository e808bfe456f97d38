/** The skill forge for surfaces, and the skills that tasks may use. */
import { homeFolder, type Clock, type ProjectDirs } from "../kernel/index.ts";
import type { Redactor } from "../guard/index.ts";
import type { Store } from "../journal/index.ts";
import type { ModelGate } from "../model/index.ts";
import { createForge, discoverSkills, type Catalogue, type Forge } from "../forge/index.ts";

export interface SkillApi extends Forge {
  /** What agents find here, by name and description. */
  catalogue(): Catalogue;
  /** The model that writes skills unless one is named. */
  defaultModel(): string | undefined;
}

export interface SkillApiParts {
  store: () => Promise<Store>;
  gate: () => Promise<ModelGate>;
  project: ProjectDirs;
  env: Record<string, string | undefined>;
  clock: Clock;
  redactor: Redactor;
  defaultModel: () => string | undefined;
}

export function createSkillApi(parts: SkillApiParts): SkillApi {
  const { project, env } = parts;
  const home = homeFolder(env);
  const forge = createForge({
    store: parts.store,
    gate: parts.gate,
    clock: parts.clock,
    redactor: parts.redactor,
    project: project.project,
    dataDir: project.root,
    home,
    searchPath: env["PATH"] ?? "",
  });
  return { ...forge, catalogue: () => discoverSkills(project.project, home), defaultModel: parts.defaultModel };
}
