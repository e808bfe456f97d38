export { createRoles, type Roles } from "./roles/create-roles.ts";
