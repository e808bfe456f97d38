export { environmentSecrets } from "./secrets/environment-secrets.ts";
export { createRedactor, type Redactor } from "./secrets/create-redactor.ts";
export { redactLines, SECRET_REACH_CHARS } from "./secrets/redact-lines.ts";
export { findSecretValues } from "./secrets/known-from-files.ts";
export { redactStrings } from "./secrets/redact-strings.ts";
export { fileSensitivity } from "./secrets/sensitive-files.ts";
export { checkParameters } from "./secrets/check-prompt.ts";
export { createScreenPrompt } from "./screen-prompt.ts";
export {
  openPermissions,
  type GateAnswer,
  type GuardedAction,
  type PermissionOptions,
  type Permissions,
} from "./permissions/open-permissions.ts";
export { SERVICES } from "./credentials/services.ts";
export type { Credentials } from "./credentials/open-credentials.ts";
export { createBroker } from "./credentials/create-broker.ts";
export { createToolCredentials, type ToolCredentials } from "./credentials/tool-credentials.ts";
export { isAuthorized, type AccessToken } from "./credentials/access-token.ts";
export { openAudit, type Audit } from "./audit/open-audit.ts";
export { queryAudit, type AuditFilter, type AuditLine } from "./audit/query-audit.ts";
export { forgetRule, readPermissionFile, rememberAnswers } from "./permissions/permission-file.ts";
export { parseRule, rulesOf } from "./permissions/policy-rules.ts";
export { USER_RIGHTS } from "./permissions/rights.ts";
export { askUser } from "./ask-user.ts";
export { createSecretApi } from "./look-for-secrets.ts";
export { createAuth, serverToken } from "./credentials/key-store.ts";
export { createProjectTrust, type ProjectTrust } from "./trust/project-trust.ts";
export { checkThing } from "./trust/brought-things.ts";
