export { type DoctorFinding, type DoctorReport } from "./doctor.ts";
export {
  capability,
  leastRole,
  memoryReference,
  REFERENCE_MODES,
  ROLE_ID,
  roleFields,
  type Capability,
  type FactKind,
  type GitRight,
  type MemoryReference,
  type Role,
  type RoleCredentials,
  type RoleField,
  type RoleOrigin,
  type RoleProblem,
  type RoleSpec,
} from "./roles.ts";
export { type TaskDetail, type TaskLine, type TaskSummary, type TaskWhy } from "./task.ts";
export { wireEvent, type WireEvent } from "./wire-event.ts";
export { optionsOf, type Question } from "./question.ts";
