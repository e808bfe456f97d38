/** Keys, permissions, secrets, and the trail of who was permitted what. */
import { queryAudit, type AuditFilter, type AuditLine, type createAuth, type createSecretApi } from "../../guard/index.ts";
import type { Store } from "../../journal/index.ts";
import { SylkError } from "../../kernel/index.ts";
import type { Input } from "../../protocol/api/index.ts";
import type { CommandHandlers, QueryHandlers } from "../create-api.ts";
import type { PermissionApi } from "../../tooling/index.ts";
import { wire } from "./wire.ts";

export interface GuardParts {
  auth: ReturnType<typeof createAuth>["api"];
  /** Undefined while the project has none. */
  existing: () => Promise<Store | undefined>;
  permissions: () => Promise<PermissionApi>;
  secrets: ReturnType<typeof createSecretApi>;
}

const AUDIT_PAGE = 500;

function patternOf(text: string | undefined): RegExp | undefined {
  try {
    return text === undefined ? undefined : new RegExp(text);
  } catch (cause) {
    throw new SylkError({
      code: "USAGE_AUDIT",
      tier: "user_fixable",
      message: `--target-regex is not a regular expression: ${text}`,
      fix: "use --target for a glob such as *.ts",
      cause,
    });
  }
}

function filterOf({ filter, after }: Input<"audit.page">): AuditFilter {
  const { since_ms: sinceMs, until_ms: untilMs, target_pattern, ...rest } = filter;
  return {
    ...rest,
    sinceMs,
    untilMs,
    after,
    targetPattern: patternOf(target_pattern),
    limit: Math.min(filter.limit ?? Infinity, AUDIT_PAGE),
  };
}

export function guardHandlers({ auth, existing, permissions, secrets }: GuardParts) {
  return {
    commands: {
      "auth.set": (request, signal) => auth.set({ ...request, signal }),
      "auth.remove": ({ provider, profile }) => auth.remove(provider, profile),
      "permission.allow": async ({ rule, scope }) => {
        (await permissions()).allow(rule, scope);
        return null;
      },
      "permission.deny": async ({ rule, scope }) => {
        (await permissions()).deny(rule, scope);
        return null;
      },
      "permission.forget": async ({ rule, scope }) => (await permissions()).forget(rule, scope),
    } satisfies Partial<CommandHandlers>,
    queries: {
      "auth.list": ({ profile }) => auth.list(profile),
      "auth.test": (request, signal) => auth.test({ ...request, signal }),
      "permission.list": async () =>
        (await permissions()).list().map(({ rules, ...one }) => ({ ...one, rules: { ...wire(rules), paths: rules.paths } })),
      "permission.check": async ({ role, line }) => (await permissions()).check(role, line),
      "permission.capabilities": async ({ role }) => [...(await permissions()).capabilities(role)],
      "secret.scan": async ({ file }) => secrets.scan(file),
      "secret.redact": async ({ text }) => secrets.redact(text),
      "secret.view": async ({ file }) => ({ text: secrets.view(file) }),
      "audit.page": async (page, signal) => {
        const lines: AuditLine[] = [];
        const store = await existing();
        if (store !== undefined) for await (const line of queryAudit(store.journal, filterOf(page), signal)) lines.push(line);
        return { lines, next: lines.length === AUDIT_PAGE ? (lines.at(-1)?.position ?? null) : null };
      },
    } satisfies Partial<QueryHandlers>,
  };
}
