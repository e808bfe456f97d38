/** The skill forge for surfaces, and the skills that tasks may use. */
import { type Clock, type ProjectDirs, systemPaths } from "../kernel/index.ts";
import type { Redactor } from "../guard/index.ts";
import type { Questions, Store } from "../journal/index.ts";
import type { ModelGate } from "../model/index.ts";
import { createForge, type Forge } from "./create-forge.ts";
import { discoverSkills, type Catalogue } from "./discover-skills.ts";
import type { SkillOutcome } from "./create-skill.ts";
import type { ProjectTrust } from "../guard/index.ts";

export interface SkillApi extends Forge {
  /** What agents find here, by name and description. */
  catalogue(): Catalogue;
  /** The model that writes skills unless one is named. */
  defaultModel(): string | undefined;
}

export interface SkillApiParts {
  store: () => Promise<Store>;
  questions: Questions;
  gate: () => Promise<ModelGate>;
  trust: ProjectTrust;
  project: ProjectDirs;
  env: Record<string, string | undefined>;
  clock: Clock;
  redactor: Redactor;
  defaultModel: () => string | undefined;
}

export function createSkillApi(parts: SkillApiParts): SkillApi {
  const { project, env, trust } = parts;
  const home = systemPaths.home(env);
  const forge = createForge({
    store: parts.store,
    questions: parts.questions,
    gate: parts.gate,
    clock: parts.clock,
    redactor: parts.redactor,
    project: project.project,
    trusts: (file, text) => trust.now().file(file, text),
    dataDir: project.private,
    home,
    searchPath: env["PATH"] ?? "",
  });
  const catalogue = (): Catalogue => discoverSkills(project.project, home, trust.now().skill);
  /** What went through the user's gate needs no second yes. */
  const approved = async (work: Promise<SkillOutcome>): Promise<SkillOutcome> => {
    const outcome = await work;
    if (outcome.kind === "installed") trust.addSkills(outcome.folders.map(({ folder }) => folder));
    return outcome;
  };
  return {
    ...forge,
    create: (...args) => approved(forge.create(...args)),
    update: (...args) => approved(forge.update(...args)),
    extract: (...args) => approved(forge.extract(...args)),
    import: (...args) => approved(forge.import(...args)),
    rephrase: (...args) => approved(forge.rephrase(...args)),
    resume: (...args) => approved(forge.resume(...args)),
    catalogue,
    defaultModel: parts.defaultModel,
  };
}
