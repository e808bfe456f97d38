export { createForge, type Forge, type SkillOptions } from "./create-forge.ts";
export type { SkillOutcome } from "./create-skill.ts";
export type { SkillReport } from "./check-skill.ts";
export type { CollisionAnswer, ForgeTalk, GateAnswer, GateView } from "./human-gate.ts";
export { folderChecksum } from "./skill-files.ts";
export { skillView } from "./skill-events.ts";
export { discoverSkills, projectSkillFolders, type Catalogue } from "./discover-skills.ts";
export { createLoadSkillAction, skillLines, SKILLS_INPUT } from "./load-skill-action.ts";
