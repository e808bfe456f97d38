export { createRedactor, type Redaction, type Redactor, type SecretFinding } from "./secrets/create-redactor.ts";
export { fileSensitivity, type Handling, type Sensitivity } from "./secrets/sensitive-files.ts";
export {
  openPermissions,
  type Answer,
  type GateAnswer,
  type GuardedAction,
  type PermissionMode,
  type PermissionOptions,
  type PermissionQuestion,
  type PermissionRecord,
  type Permissions,
  type WorkflowPermissions,
} from "./permissions/open-permissions.ts";
export { decideGit, type GitDecision, type GitRequest } from "./permissions/git-matrix.ts";
