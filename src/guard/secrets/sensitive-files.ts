/** Files whose content never leaves the machine (SEC-017), and what to do with each. */
import path from "node:path";

export type Handling = "skip" | "redact" | "normal";

export interface Sensitivity {
  sensitive: boolean;
  /** The pattern that matched. */
  pattern: string | undefined;
  /** `skip`: never read it for a model; `redact`: readable after redaction. */
  handling: Handling;
}

const BASE_NAMES: readonly { pattern: string; test: RegExp }[] = [
  { pattern: ".env", test: /^\.env$/i },
  { pattern: ".env.*", test: /^\.env\../i },
  { pattern: "*.pem", test: /\.pem$/i },
  { pattern: "*.key", test: /\.key$/i },
  { pattern: "*.p12", test: /\.p12$/i },
  { pattern: "*.pfx", test: /\.pfx$/i },
  { pattern: "*credentials*", test: /credentials/i },
  { pattern: "*secrets*", test: /secrets/i },
  { pattern: "**/.npmrc", test: /^\.npmrc$/i },
  { pattern: "**/.pypirc", test: /^\.pypirc$/i },
  { pattern: "**/.netrc", test: /^[._]netrc$/i },
  { pattern: "**/.git-credentials", test: /^\.git-credentials$/i },
  { pattern: ".htpasswd", test: /^\.htpasswd$/i },
  { pattern: ".vault-token", test: /^\.vault-token$/i },
  { pattern: "id_*", test: /^id_(?:rsa|dsa|ecdsa|ed25519)$/i },
];
const FOLDERS: readonly { pattern: string; test: RegExp }[] = [
  { pattern: ".aws/credentials", test: /(?:^|\/)\.aws\/credentials$/i },
  { pattern: ".docker/config.json", test: /(?:^|\/)\.docker\/config\.json$/i },
  { pattern: ".kube/config", test: /(?:^|\/)\.kube\/config$/i },
  { pattern: ".ssh/*", test: /(?:^|\/)\.ssh\/[^/]+$/i },
  { pattern: ".gnupg/*", test: /(?:^|\/)\.gnupg\//i },
  // An address in them may hold a password.
  { pattern: ".git/config", test: /(?:^|\/)\.git\/(?:[^/]+\/)*(?:config(?:\.worktree)?|FETCH_HEAD)$/i },
  { pattern: ".git/logs/*", test: /(?:^|\/)\.git\/(?:[^/]+\/)*logs\//i },
];
/** Templates without values. */
const EXAMPLE = /^\.env\.(?:example|sample|template|dist)$/i;
/** A module about credentials is code; its text is redacted, not hidden. */
const SOURCE = /\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|rb|php|cs|c|h|cc|cpp|hpp|swift|scala|ex|exs|md|mdx|html|css|vue|svelte|sql|sh)$/i;

/** Judges by name only; `file` may use either separator. */
export function fileSensitivity(file: string): Sensitivity {
  const unified = file.replaceAll("\\", "/");
  const base = path.posix.basename(unified);
  const hit = BASE_NAMES.find(({ test }) => test.test(base)) ?? FOLDERS.find(({ test }) => test.test(unified));
  if (hit === undefined) return { sensitive: false, pattern: undefined, handling: "normal" };
  const byWord = hit.pattern === "*credentials*" || hit.pattern === "*secrets*";
  const readable = EXAMPLE.test(base) || (byWord && SOURCE.test(base));
  return { sensitive: true, pattern: hit.pattern, handling: readable ? "redact" : "skip" };
}
