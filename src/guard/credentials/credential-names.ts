/** Names of credentials in the environment (CRE-001, SEC-025), and which agents may ask for which (CRE-009). Data only. */

const KNOWN: Readonly<Record<string, readonly string[]>> = {
  anthropic: ["SYLK_ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY"],
  openai: ["SYLK_OPENAI_API_KEY", "OPENAI_API_KEY"],
  google: ["SYLK_GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"],
  openrouter: ["SYLK_OPENROUTER_API_KEY", "OPENROUTER_API_KEY"],
  github: ["SYLK_GITHUB_TOKEN", "GITHUB_TOKEN", "GH_TOKEN"],
  aws: ["SYLK_AWS_SECRET_ACCESS_KEY", "AWS_SECRET_ACCESS_KEY"],
  figma: ["SYLK_FIGMA_TOKEN", "FIGMA_TOKEN"],
  serpapi: ["SYLK_SERPAPI_API_KEY", "SERPAPI_API_KEY"],
  voyage: ["SYLK_VOYAGE_API_KEY", "VOYAGE_API_KEY"],
};

/** Providers a model gate may need; their keys are looked up without naming them first. */
export const MODEL_PROVIDERS: readonly string[] = ["anthropic", "openai", "google", "openrouter"];

export const CREDENTIAL_NAME = /^[a-z][a-z0-9_-]{0,40}$/;

/** Variables that may hold it, strongest first. */
export function variablesOf(provider: string): readonly string[] {
  if (Object.hasOwn(KNOWN, provider)) return KNOWN[provider] as readonly string[];
  const upper = provider.toUpperCase().replaceAll("-", "_");
  return [`SYLK_${upper}_API_KEY`, `${upper}_API_KEY`, `${upper}_TOKEN`];
}

export interface CredentialScope {
  allowed: readonly string[];
  denied: readonly string[];
  /** Providers whose first use by this agent needs the user's consent. */
  requireAuth: readonly string[];
}

const MODELS = ["openai", "anthropic"];

const DEFAULT_SCOPES: Readonly<Record<string, CredentialScope>> = {
  librarian: { allowed: [...MODELS, "voyage"], denied: ["github", "aws"], requireAuth: [] },
  academic: { allowed: [...MODELS, "google", "serpapi"], denied: ["github", "aws"], requireAuth: [] },
  archivalist: { allowed: MODELS, denied: ["github", "aws"], requireAuth: [] },
  engineer: { allowed: [...MODELS, "github"], denied: [], requireAuth: ["github"] },
  designer: { allowed: [...MODELS, "figma"], denied: [], requireAuth: ["figma"] },
  inspector: { allowed: MODELS, denied: ["github", "aws", "figma"], requireAuth: [] },
  tester: { allowed: MODELS, denied: ["github", "aws"], requireAuth: [] },
  guide: { allowed: MODELS, denied: ["github", "aws", "figma"], requireAuth: [] },
  architect: { allowed: MODELS, denied: ["github", "aws"], requireAuth: [] },
  orchestrator: { allowed: [], denied: ["*"], requireAuth: [] },
};

/** The agent's scope; an override replaces it whole (CRE-010). Defaults are never changed. */
export function scopeOf(agentType: string, overrides: Readonly<Record<string, CredentialScope>>): CredentialScope | undefined {
  const table = Object.hasOwn(overrides, agentType) ? overrides : DEFAULT_SCOPES;
  return Object.hasOwn(table, agentType) ? table[agentType] : undefined;
}

/** Denials first, then permissions; unknown agents and names are refused. */
export function isInScope(scope: CredentialScope | undefined, provider: string): boolean {
  if (scope === undefined || scope.denied.includes("*") || scope.denied.includes(provider)) return false;
  return scope.allowed.includes("*") || scope.allowed.includes(provider);
}
