import type { Action } from "../../actions/action.ts";
import { knowledgeSkills, type KnowledgeSkillParts } from "./all-skills.ts";
import { toActions } from "./skill-actions.ts";

export function createKnowledgeActions(parts: KnowledgeSkillParts): Action[] {
  return toActions(knowledgeSkills(parts));
}
