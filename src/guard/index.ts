export { environmentSecrets } from "./secrets/environment-secrets.ts";
export { createRedactor, type Redactor } from "./secrets/create-redactor.ts";
export { redactLines, SECRET_REACH_CHARS } from "./secrets/redact-lines.ts";
export { findSecretValues } from "./secrets/known-from-files.ts";
export { redactStrings } from "./secrets/redact-strings.ts";
export { fileSensitivity } from "./secrets/sensitive-files.ts";
export { sanitizeFile } from "./secrets/sanitize-file.ts";
export { checkParameters, checkPrompt } from "./secrets/check-prompt.ts";
export {
  openPermissions,
  type GuardedAction,
  type PermissionMode,
  type PermissionOptions,
  type Permissions,
} from "./permissions/open-permissions.ts";
export { MODEL_PROVIDERS, variablesOf } from "./credentials/credential-names.ts";
export { openCredentials, type CredentialEntry, type CredentialSource, type Credentials } from "./credentials/open-credentials.ts";
export { createSystemKeychain } from "./credentials/keychain.ts";
export { createBroker, type CredentialBroker } from "./credentials/create-broker.ts";
export { createToolCredentials, type ToolCredentials } from "./credentials/tool-credentials.ts";
export { verifyKey, type KeyCheck } from "./credentials/verify-key.ts";
export { isAuthorized, openAccessToken, type AccessToken } from "./credentials/access-token.ts";
export { openAudit, type Audit } from "./audit/open-audit.ts";
export { queryAudit, type AuditFilter, type AuditLine } from "./audit/query-audit.ts";
export { forgetRule, readPermissionFile, rememberAnswers } from "./permissions/permission-file.ts";
export { NO_RULES, type Rules } from "./permissions/rules.ts";
export { USER_RIGHTS } from "./permissions/rights.ts";
export type { Remember } from "./permissions/types.ts";
