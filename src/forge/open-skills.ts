/** Making skills, and using them in tasks: loaded when somebody first does. */
import type { StepExtension } from "../step/index.ts";
import type { Catalogue } from "./discover-skills.ts";
import type { SkillApi, SkillApiParts } from "./trusted-forge.ts";

export async function openSkills(parts: SkillApiParts): Promise<SkillApi> {
  const { createSkillApi } = await import("./trusted-forge.ts");
  return createSkillApi(parts);
}

export async function openSkillExtension(catalogue: () => Catalogue, redact: (text: string) => string): Promise<StepExtension> {
  const { createSkillExtension } = await import("./skill-extension.ts");
  return createSkillExtension(catalogue, redact);
}
