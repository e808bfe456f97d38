/** Skills in tasks: the catalogue in the pinned text, the action that loads one, and what is not trusted. */
import type { StepExtension } from "../step/index.ts";
import type { Catalogue } from "./discover-skills.ts";
import { createLoadSkillAction, skillLines, SKILLS_INPUT } from "./load-skill-action.ts";

const SMALLEST = 250;
/** Tokens of the pinned text that skills may take, by profile. */
const ROOM: Readonly<Record<string, number>> = { minimal: SMALLEST, default: 500, standard: 1_000, wide: 2_000 };

export function createSkillExtension(catalogue: () => Catalogue, redact: (text: string) => string): StepExtension {
  return {
    name: "skills",
    actions: [createLoadSkillAction(catalogue, redact)],
    given({ profile }) {
      const skills = skillLines(catalogue(), ROOM[profile] ?? SMALLEST);
      return Promise.resolve(skills === "" ? {} : { inputs: { [SKILLS_INPUT]: redact(skills) } });
    },
    begins({ step }) {
      const untrusted = catalogue().skills.filter((skill) => !skill.trusted);
      if (step > 0 || untrusted.length === 0) return Promise.resolve([]);
      const target = untrusted.map(({ name }) => name).join(", ");
      const summary = "not used: this project's skills are not trusted; read them, then `sylk trust`";
      return Promise.resolve([{ about: "skills", target, outcome: "untrusted_skills", summary }]);
    },
  };
}
