import type { Action } from "../../actions/action.ts";
import { knowledgeSkills, type KnowledgeSkillParts } from "./all-skills.ts";
import { toActions } from "./skill-actions.ts";

export function createKnowledgeActions(parts: KnowledgeSkillParts & { actionsOf: (role: string) => readonly string[] }): Action[] {
  return toActions(knowledgeSkills(parts), parts.actionsOf);
}
