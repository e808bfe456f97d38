export { createRoles, type Roles } from "./roles/create-roles.ts";
export { type AgentApi, createAgentApi, modelOfRole } from "./agent-api.ts";
export { createHooks, type HookApi } from "./hooks/create-hooks.ts";
export { hookSettingsSchema } from "./hooks/read-hooks.ts";
export { messagesView } from "./messages/send-message.ts";
export { createTeamExtension } from "./team-extension.ts";
export { answerOf, answerText } from "./consult/answer-action.ts";
export { REROUTE, type Rerouted } from "./consult/reroute-action.ts";
export { commandOf } from "./guide/command-table.ts";
