/**
 * Secret formats as data (SEC-016). Group 1 of every expression is what stays visible (a key name, a
 * scheme), group 2 is the secret. All repetitions are bounded, so no input makes a scan quadratic.
 */
import { isPlaceholderAddress } from "./placeholder-address.ts";

export const SEVERITIES = ["low", "medium", "high", "critical"] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface SecretPattern {
  name: string;
  severity: Severity;
  /** A format that is nothing but a secret, against a guess from a key's name. */
  certain: boolean;
  pattern: RegExp;
  /** Looks at the value once more; used by guesses to leave code alone. */
  accept?: (value: string, before: string, after: string) => boolean;
}

/** `getPassword()`, `config.password`, `process.env.X`, `${TOKEN}`: a reference to a secret is not one. */
function isReference(value: string): boolean {
  const bare = value.replace(/[;,)\]}]+$/, "");
  return (
    /^[$<{%([]/.test(bare) ||
    /[({[]/.test(bare) ||
    /^[A-Za-z_$][\w$]*(?:(?:\.|\?\.|::|->)[\w$]+)+$/.test(bare) ||
    /^[A-Za-z_$]+$/.test(bare)
  );
}

/** Written as a literal: quoted, or an environment-file line such as `PASSWORD=value`. */
function isLiteral(before: string): boolean {
  return /["'`]$/.test(before) || /(?:^|[\s;&])[A-Z0-9_]+=$/.test(before);
}

/** The shell's own variables for the folder it stands in. */
function isFolderOfShell(value: string, before: string): boolean {
  return value.startsWith("/") && /(?<![A-Za-z0-9_-])(?:OLD)?PWD=\\{0,4}["']?$/.test(before);
}

function looksAssigned(value: string, before: string): boolean {
  if (isFolderOfShell(value, before)) return false;
  if (value.startsWith("[REDACTED]") || /^(.)\1+$/.test(value)) return false;
  if (isLiteral(before)) return !/^[$<{%]/.test(value);
  return !isReference(value);
}

/** Base64-like text of a real key mixes classes; a long plain word does not. */
function looksRandom(value: string): boolean {
  return /[0-9]/.test(value) && /[a-z]/i.test(value);
}

/** Quotes may be escaped: much text is looked at inside a JSON string. */
const ASSIGN = String.raw`\\{0,4}["'\x60]?\s{0,4}(?:=>|:=|=|:)\s{0,4}\\{0,4}["'\x60]?`;
/** Up to the closing quote, escaped or not. */
const UNQUOTED = String.raw`(?:[^\s"'\x60\\]|\\(?!["'\x60\\n]))`;

export const SECRET_PATTERNS: readonly SecretPattern[] = [
  {
    name: "private_key",
    severity: "critical",
    certain: true,
    // The whole block, or to the end of the text when the closing line is missing.
    pattern:
      /()(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[\s\S]{0,20000}?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|[A-Za-z0-9+/=\s\\:,.-]{0,20000}))/g,
  },
  {
    name: "github_pat",
    severity: "high",
    certain: true,
    pattern: /()(\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255}))/g,
  },
  { name: "anthropic_key", severity: "high", certain: true, pattern: /()(\bsk-ant-[A-Za-z0-9_-]{20,200})/g },
  {
    name: "openai_key",
    severity: "high",
    certain: true,
    pattern: /()(\bsk-(?:(?:proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{20,250}|[A-Za-z0-9]{32,64}\b))/g,
  },
  { name: "aws_credentials", severity: "critical", certain: true, pattern: /()(\b(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16}\b)/g },
  {
    name: "aws_credentials",
    severity: "critical",
    certain: true,
    pattern: new RegExp(`(aws_(?:access_key_id|secret(?:_access_key)?|session_token)${ASSIGN})([A-Za-z0-9/+=]{16,2000})`, "gi"),
  },
  { name: "google_api_key", severity: "high", certain: true, pattern: /()(\bAIza[0-9A-Za-z_-]{35})/g },
  { name: "slack_token", severity: "high", certain: true, pattern: /()(\bxox[abeoprs]-[A-Za-z0-9-]{10,250})/g },
  { name: "stripe_key", severity: "high", certain: true, pattern: /()(\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,250})/g },
  { name: "gitlab_token", severity: "high", certain: true, pattern: /()(\bgl(?:pat|ptt|rt|dt|soat)-[A-Za-z0-9_-]{20,250})/g },
  { name: "npm_token", severity: "high", certain: true, pattern: /()(\bnpm_[A-Za-z0-9]{36})/g },
  { name: "npm_token", severity: "high", certain: true, pattern: /(:_(?:authToken|auth|password)\s{0,4}=\s{0,4})([^\s"'[]{8,2000})/g },
  { name: "huggingface_token", severity: "high", certain: true, pattern: /()(\bhf_[A-Za-z0-9]{30,80})/g },
  {
    name: "jwt",
    severity: "high",
    certain: true,
    pattern: /()(\beyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{10,2000})/g,
  },
  {
    name: "connection_string",
    severity: "critical",
    certain: true,
    pattern:
      /(\b(?:mongodb|postgres|postgresql|mysql|mariadb|redis|rediss|amqp|amqps|mssql)(?:\+[a-z]{2,10})?:\/\/[^\s:@/"'`]{0,200}:)((?!\[REDACTED\]@)[^\s/"'`]{1,300})(?=@)/gi,
    accept: (value, before, after) => !isPlaceholderAddress(value, before, after),
  },
  {
    name: "basic_auth_url",
    severity: "high",
    certain: true,
    pattern: /(\b(?:https?|ftp|ssh|git):\/\/[^\s:@/"'`]{1,200}:)((?![$<{]|\[REDACTED\]@)[^\s/"'`]{3,300})(?=@)/gi,
    // A mask holds nothing back.
    accept: (value, before, after) => !/^[*•]+$/u.test(value) && !isPlaceholderAddress(value, before, after),
  },
  {
    name: "bearer_token",
    severity: "high",
    certain: true,
    pattern: /(\b(?:bearer|basic)[ \t]{1,4})([A-Za-z0-9_.~+/-]{20,4000}={0,2})/gi,
    accept: looksRandom,
  },
  {
    name: "bearer_token",
    severity: "high",
    certain: false,
    pattern: new RegExp(`((?:bearer|token)${ASSIGN})([A-Za-z0-9_.-]{20,4000})`, "gi"),
    accept: looksRandom,
  },
  {
    name: "api_key_generic",
    severity: "high",
    certain: false,
    pattern: new RegExp(`(api[_-]?key${ASSIGN})([A-Za-z0-9_-]{20,400})`, "gi"),
    accept: looksRandom,
  },
  {
    name: "password_element",
    severity: "high",
    certain: false,
    pattern: /(<(?:[\w-]{1,40}:)?(?:password|passphrase|secret|token|api-?key)>\s{0,4})((?!\[REDACTED\])[^<\s${]{6,400})(?=\s{0,4}<\/)/gi,
  },
  {
    name: "password_define",
    severity: "high",
    certain: false,
    pattern:
      /(\bdefine\(\s{0,4}['"]\w{0,60}(?:PASSWORD|SECRET|TOKEN|KEY|SALT)\w{0,20}['"]\s{0,4},\s{0,4}['"])((?!\[REDACTED\])[^'"\s]{8,400})/g,
  },
  {
    name: "netrc_password",
    severity: "high",
    certain: false,
    pattern: /(\bmachine\s{1,8}\S{1,200}\s{1,8}login\s{1,8}\S{1,200}\s{1,8}password\s{1,8})((?!\[REDACTED\])\S{4,400})/g,
  },
  {
    name: "registry_auth",
    severity: "high",
    certain: false,
    pattern: /(\\{0,4}"auth\\{0,4}"\s{0,4}:\s{0,4}\\{0,4}")([A-Za-z0-9+/]{16,2000}={0,2})/g,
    accept: looksRandom,
  },
  {
    name: "password_hash",
    severity: "medium",
    certain: true,
    pattern: /(\$(?:apr1|2[aby]|5|6|y|argon2(?:i|d|id))\$)([./A-Za-z0-9$=,+]{20,200})/g,
  },
  {
    name: "high_entropy_assignment",
    severity: "medium",
    certain: false,
    pattern: new RegExp(`((?:key|secret|token|credential)s?${ASSIGN})([A-Za-z0-9+/]{40,4000}={0,2})`, "gi"),
    accept: looksRandom,
  },
  {
    name: "password_generic",
    severity: "high",
    certain: false,
    pattern: new RegExp(`((?:secret|password|passwd|pwd)${ASSIGN})(${UNQUOTED}{8,400})`, "gi"),
    accept: looksAssigned,
  },
];
