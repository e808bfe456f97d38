/** The skill forge for surfaces, and the skills that tasks may use. */
import { homeFolder, type Clock, type ProjectDirs } from "../kernel/index.ts";
import type { Redactor } from "../guard/index.ts";
import type { Store } from "../journal/index.ts";
import type { ModelGate } from "../model/index.ts";
import { createForge, discoverSkills, type Catalogue, type Forge, type SkillOutcome } from "../forge/index.ts";
import { ignoredOverrides } from "../step/index.ts";
import type { SkillTrust } from "./skill-trust.ts";

export interface SkillApi extends Forge {
  /** What agents find here, by name and description. */
  catalogue(): Catalogue;
  /** Lets tasks load this project's skills, task types and prompts, or no longer; returns what this is about. */
  trust(trusted: boolean, options: { dryRun: boolean }): { project: string; trusted: boolean; skills: string[]; overrides: string[] };
  /** The model that writes skills unless one is named. */
  defaultModel(): string | undefined;
}

export interface SkillApiParts {
  store: () => Promise<Store>;
  gate: () => Promise<ModelGate>;
  trust: SkillTrust;
  project: ProjectDirs;
  env: Record<string, string | undefined>;
  clock: Clock;
  redactor: Redactor;
  defaultModel: () => string | undefined;
}

export function createSkillApi(parts: SkillApiParts): SkillApi {
  const { project, env, trust } = parts;
  const home = homeFolder(env);
  const forge = createForge({
    store: parts.store,
    gate: parts.gate,
    clock: parts.clock,
    redactor: parts.redactor,
    project: project.project,
    dataDir: project.private,
    home,
    searchPath: env["PATH"] ?? "",
  });
  const catalogue = (): Catalogue => discoverSkills(project.project, home, trust.now());
  /** What went through the person's gate needs no second yes. */
  const approved = async (work: Promise<SkillOutcome>): Promise<SkillOutcome> => {
    const outcome = await work;
    if (outcome.kind === "installed") trust.approve(outcome.folders.map(({ folder }) => folder));
    return outcome;
  };
  return {
    ...forge,
    create: (...args) => approved(forge.create(...args)),
    update: (...args) => approved(forge.update(...args)),
    extract: (...args) => approved(forge.extract(...args)),
    import: (...args) => approved(forge.import(...args)),
    resume: (...args) => approved(forge.resume(...args)),
    catalogue,
    trust(trusted, { dryRun }) {
      if (!dryRun) trust.setProject(trusted);
      const skills = catalogue().skills.filter((skill) => skill.scope === "project");
      const overrides = ignoredOverrides({ projectDir: project.project, trustsProject: () => false })?.files ?? [];
      const names = skills.map(({ name }) => name);
      return { project: project.project, trusted: dryRun ? trust.trustsProject() : trusted, skills: names, overrides };
    },
    defaultModel: parts.defaultModel,
  };
}
