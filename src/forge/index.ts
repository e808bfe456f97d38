export type { Forge, SkillOptions } from "./create-forge.ts";
export type { SkillOutcome } from "./create-skill.ts";
export type { SkillReport } from "./check-skill.ts";
export type { SkillConduct } from "./skill-run.ts";
export { folderChecksum } from "./skill-files.ts";
export { skillView } from "./skill-events.ts";
export { projectSkillFolders, type Catalogue } from "./discover-skills.ts";
export { openSkillExtension, openSkills } from "./open-skills.ts";
export type { SkillApi } from "./trusted-forge.ts";
