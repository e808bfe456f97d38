/** The skills of the three roles that hold it (KNO-002). Other roles ask them; planners may look for code themselves. */
import type { Clock } from "../../kernel/index.ts";
import type { KnowledgeApi } from "../knowledge-api.ts";
import { createAcademicSkills } from "./academic-skills.ts";
import { createCodeSkills } from "./code-skills.ts";
import { createHistorySkills } from "./history-skills.ts";
import { createSearchSkills } from "./search-skills.ts";
import type { Skill } from "./skill.ts";

export interface KnowledgeSkillParts {
  knowledge: KnowledgeApi;
  clock: Clock;
  root: string;
  redact: (text: string) => string;
}

export function knowledgeSkills(parts: KnowledgeSkillParts): Skill[] {
  return [
    ...createSearchSkills(parts.knowledge),
    ...createCodeSkills(parts),
    ...createHistorySkills(parts.knowledge, parts.clock),
    ...createAcademicSkills(parts.knowledge),
  ];
}
