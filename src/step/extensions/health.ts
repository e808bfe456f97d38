/** How sound the place is, told to tasks that change something there: one line, and a warning where its patterns cannot be relied on. */
import { isAbort, messageOf, type Log } from "../../kernel/index.ts";
import type { ProjectKnowledge } from "../../knowledge/index.ts";
import { HEALTH_INPUT } from "../../knowledge/told/index.ts";
import type { StepExtension } from "../extension.ts";
import { taskTypeOf } from "../task-type.ts";

export interface HealthParts {
  knowledge: Pick<ProjectKnowledge, "health">;
  projectDir: string;
  trusts: (file: string, text: string) => boolean;
  log: Log;
}

const never = new AbortController().signal;

export function createHealth({ knowledge, projectDir, trusts, log }: HealthParts): StepExtension {
  return {
    name: "health",
    async given({ type, inputs, folder, tree }) {
      if (HEALTH_INPUT in inputs || !taskTypeOf({ type, checks: [] }, { projectDir, trusts }).writes) return {};
      try {
        const { summary, warning } = await knowledge.health(folder, never, tree?.path);
        return { inputs: { [HEALTH_INPUT]: warning === undefined ? summary : `${summary}\n${warning}` } };
      } catch (error) {
        if (isAbort(error)) throw error;
        // What is only good to know keeps nobody from working.
        log.warn("the health of the place was not measured", { reason: messageOf(error) });
        return {};
      }
    },
  };
}
