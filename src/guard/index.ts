export { environmentSecrets } from "./secrets/environment-secrets.ts";
export { createRedactor, type Redaction, type Redactor, type SecretFinding } from "./secrets/create-redactor.ts";
export { redactLines, SECRET_REACH_CHARS } from "./secrets/redact-lines.ts";
export { findSecretValues } from "./secrets/known-from-files.ts";
export { redactStrings } from "./secrets/redact-strings.ts";
export { fileSensitivity, type Handling, type Sensitivity } from "./secrets/sensitive-files.ts";
export { sanitizeFile, type SanitizedFile } from "./secrets/sanitize-file.ts";
export { checkParameters, checkPrompt, type ParameterCheck, type PromptCheck } from "./secrets/check-prompt.ts";
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
export {
  openCredentials,
  type CredentialEntry,
  type CredentialLookup,
  type CredentialSource,
  type Credentials,
} from "./credentials/open-credentials.ts";
export { createSystemKeychain } from "./credentials/keychain.ts";
export { createBroker, type CredentialBroker, type CredentialHandle, type RequestOutcome } from "./credentials/create-broker.ts";
export { createToolCredentials, type ToolCredentials } from "./credentials/tool-credentials.ts";
export { verifyKey, type KeyCheck } from "./credentials/verify-key.ts";
export { isAuthorized, openAccessToken, type AccessToken } from "./credentials/access-token.ts";
export { openAudit, type Audit, type AuditEntry } from "./audit/open-audit.ts";
export { queryAudit, type AuditFilter, type AuditLine } from "./audit/query-audit.ts";
export { forgetRule, readPermissionFile, rememberAnswers } from "./permissions/permission-file.ts";
export { NO_RULES, type Rules } from "./permissions/rules.ts";
export { capabilitiesOf } from "./permissions/roles.ts";
export type { Remember } from "./permissions/types.ts";
