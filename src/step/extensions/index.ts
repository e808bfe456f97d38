/** What the step is put together from; loaded when a task first works. */
export { createKnownProject } from "./known-project.ts";
export { createNeighbours } from "./neighbours.ts";
export { createRules } from "./rules.ts";
export { createScreening } from "./screening.ts";
export { createReproduction } from "./reproduction.ts";
export { createRecall } from "./recall.ts";
export { createOwnChecks } from "./own-checks.ts";
export { createKnowledgeActions } from "./knowledge/knowledge-actions.ts";
export { relatedFiles } from "./knowledge/related-files.ts";
export { createWatchers } from "./watchers.ts";
export { createRegistry } from "../actions/registry.ts";
export { defineAction, type Action, type RelatedFile } from "../actions/action.ts";
export { fitLines } from "../context/fit-lines.ts";
export { createTaskGuard, switchedOff, type TaskGuardParts } from "../task-guard.ts";
