export { createForge, type Forge, type OpenRun, type SkillOptions } from "./create-forge.ts";
export type { InstalledFolder, SkillOutcome } from "./create-skill.ts";
export type { SkillCheck, SkillReport } from "./check-skill.ts";
export type { CollisionAnswer, ForgeTalk, GateAnswer, GateView } from "./human-gate.ts";
export { folderChecksum } from "./install-skill.ts";
export { skillView } from "./skill-events.ts";
export { discoverSkills, projectSkillFolders, type Catalogue, type FoundSkill } from "./discover-skills.ts";
export { createLoadSkillAction, skillLines, SKILLS_INPUT } from "./load-skill-action.ts";
