/** Which skills a task is offered (SRC-002): its role's own, further ones by its goal, within the tokens that are left for actions. */
import { countTokens } from "../../../model/index.ts";
import { toolSpecOf } from "../../actions/registry.ts";
import type { Skill } from "./skill.ts";

/** Tasks that only read: others have no room for further actions, and load what is known with load_context. */
const READING: ReadonlySet<string> = new Set(["discover", "review", "consult"]);
/** What the step's own actions leave of the tokens for actions. */
const SKILL_TOKENS = 360;

const costs = new Map<string, number>();

function costOf(skill: Skill): number {
  let cost = costs.get(skill.name);
  if (cost === undefined) {
    const { name, description, inputSchema } = toolSpecOf(skill);
    cost = 8 + countTokens(name) + countTokens(description) + countTokens(JSON.stringify(inputSchema));
    costs.set(skill.name, cost);
  }
  return cost;
}

/** Names of the skills on offer for a task. */
export function chooseSkills(skills: readonly Skill[], task: { actions: readonly string[]; type: string; goal: string }): Set<string> {
  if (!READING.has(task.type)) return new Set();
  const wanted = skills
    .filter((skill) => task.actions.includes(skill.name))
    .filter((skill) => skill.tier === 1 || task.goal.includes(skill.name) || (skill.tier === 2 && skill.keywords.test(task.goal)))
    .toSorted(
      (a, b) => Number(task.goal.includes(b.name)) - Number(task.goal.includes(a.name)) || a.tier - b.tier || b.priority - a.priority,
    );
  const chosen = new Set<string>();
  let left = SKILL_TOKENS;
  for (const skill of wanted) {
    const cost = costOf(skill);
    if (cost > left) continue;
    left -= cost;
    chosen.add(skill.name);
  }
  return chosen;
}
