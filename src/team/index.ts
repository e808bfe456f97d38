export { createRoles, type Roles } from "./roles/create-roles.ts";
export { type AgentApi, createAgentApi, modelOfRole } from "./agent-api.ts";
