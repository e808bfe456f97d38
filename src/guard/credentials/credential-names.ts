/** Names of credentials in the environment (CRE-001, SEC-025), and whether one is within a role's scope (CRE-009). */
import { must } from "../../kernel/index.ts";
import type { RoleSpec } from "../../protocol/index.ts";
import { SERVICES } from "./services.ts";

/** Providers whose models need a key; it is looked up without naming them first. */
export const MODEL_PROVIDERS: readonly string[] = Object.keys(SERVICES).filter((name) => {
  const model = SERVICES[name]?.model;
  return model !== undefined && model.keyOptional !== true;
});

/** Everything else a key may be kept for. */
export const OTHER_SERVICES: readonly string[] = Object.keys(SERVICES).filter((name) => SERVICES[name]?.model === undefined);

export const CREDENTIAL_NAME = /^[a-z][a-z0-9_-]{0,40}$/;

/** Variables that may hold it, strongest first. */
export function variablesOf(provider: string): readonly string[] {
  if (Object.hasOwn(SERVICES, provider)) return must(SERVICES[provider]).keys;
  const upper = provider.toUpperCase().replaceAll("-", "_");
  return [`SYLK_${upper}_API_KEY`, `${upper}_API_KEY`, `${upper}_TOKEN`];
}

/** The name its own tools look for. */
export function plainVariableOf(provider: string): string {
  const names = variablesOf(provider);
  return names.find((name) => !name.startsWith("SYLK_")) ?? must(names[0]);
}

/** Denials first, then permissions; unknown roles and names are refused. */
export function isInScope(scope: RoleSpec["credentials"] | undefined, provider: string): boolean {
  if (scope === undefined || scope.denied.includes("*") || scope.denied.includes(provider)) return false;
  return scope.allowed.includes("*") || scope.allowed.includes(provider);
}
