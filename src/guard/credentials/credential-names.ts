/** Names of credentials in the environment (CRE-001, SEC-025), and whether one is within a role's scope (CRE-009). */
import { must } from "../../kernel/index.ts";
import type { RoleCredentials } from "../../protocol/index.ts";

/**
 * The one table of them: credentials, the model gate and `sylk doctor` all read it. Strongest first, the
 * best-known last. A `compatible` server gets the plain name only, never a key stored for OpenAI.
 */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  anthropic: ["SYLK_ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY"],
  openai: ["SYLK_OPENAI_API_KEY", "OPENAI_API_KEY"],
  google: ["SYLK_GOOGLE_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"],
  openrouter: ["SYLK_OPENROUTER_API_KEY", "OPENROUTER_API_KEY"],
  ollama: ["SYLK_OLLAMA_API_KEY", "OLLAMA_API_KEY"],
  compatible: ["OPENAI_API_KEY"],
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
  if (Object.hasOwn(KNOWN, provider)) return must(KNOWN[provider]);
  const upper = provider.toUpperCase().replaceAll("-", "_");
  return [`SYLK_${upper}_API_KEY`, `${upper}_API_KEY`, `${upper}_TOKEN`];
}

/** The name its own tools look for. */
export function plainVariableOf(provider: string): string {
  const names = variablesOf(provider);
  return names.find((name) => !name.startsWith("SYLK_")) ?? must(names[0]);
}

/** Denials first, then permissions; unknown roles and names are refused. */
export function isInScope(scope: RoleCredentials | undefined, provider: string): boolean {
  if (scope === undefined || scope.denied.includes("*") || scope.denied.includes(provider)) return false;
  return scope.allowed.includes("*") || scope.allowed.includes(provider);
}
