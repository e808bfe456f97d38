/** Every skill over what is known (KNO-002); which role has which stands in `agents/`. */
import type { ProjectKnowledge } from "../../../knowledge/index.ts";
import { createAcademicSkills } from "./academic-skills.ts";
import { createCodeSkills } from "./code-skills.ts";
import { createHistorySkills } from "./history-skills.ts";
import { createSearchSkills } from "./search-skills.ts";
import type { Skill } from "./skill.ts";

export interface KnowledgeSkillParts {
  knowledge: ProjectKnowledge;
  root: string;
  redact: (text: string) => string;
}

export function knowledgeSkills(parts: KnowledgeSkillParts): Skill[] {
  return [
    ...createSearchSkills(parts.knowledge),
    ...createCodeSkills(parts),
    ...createHistorySkills(parts.knowledge),
    ...createAcademicSkills(parts.knowledge),
  ];
}
