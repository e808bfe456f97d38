export { createRedactor, type Redaction, type Redactor, type SecretFinding } from "./secrets/create-redactor.ts";
