export { createForge, type Forge, type SkillOptions } from "./create-forge.ts";
export type { SkillOutcome } from "./create-skill.ts";
export type { SkillReport } from "./check-skill.ts";
export type { SkillConduct } from "./skill-run.ts";
export { folderChecksum } from "./skill-files.ts";
export { skillView } from "./skill-events.ts";
export { discoverSkills, projectSkillFolders, type Catalogue } from "./discover-skills.ts";
export { createSkillExtension } from "./skill-extension.ts";
