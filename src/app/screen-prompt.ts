/**
 * What a person typed, before anything uses it (SEC-021). A certain secret refuses the text; a guess is
 * redacted and the task goes on with the redacted words. Both leave an audit entry without the value.
 */
import { checkPrompt, openAudit, type Redactor } from "../guard/index.ts";
import type { Store } from "../journal/index.ts";
import { SylkError } from "../kernel/index.ts";
import type { ProjectRule } from "./project-rules.ts";
import { USER } from "../protocol/events/index.ts";

export type ScreenPrompt = (text: string) => Promise<string>;

export function createScreenPrompt(redactor: Redactor, store: () => Promise<Store>): ScreenPrompt {
  return async (text) => {
    const check = checkPrompt(redactor, text);
    if (check.kind === "clean") return text;
    const audit = openAudit({ journal: (await store()).journal, redact: (t) => redactor.redact(t).text, actor: USER });
    const patterns = check.findings.map((f) => f.pattern);
    await audit.secrets({ place: "prompt", subject: "task", count: check.findings.length, patterns });
    if (check.kind === "suspicious") return check.redacted;
    throw new SylkError({
      code: "USAGE_SECRET_IN_PROMPT",
      tier: "user_fixable",
      message: `${check.findings.length} secret${check.findings.length === 1 ? "" : "s"} in the text (${patterns[0]}): ${check.findings[0]?.context}`,
      fix: "put it into an environment variable or `sylk auth set`, and name that instead",
    });
  };
}

export type ScreenRules = (rules: readonly ProjectRule[]) => Promise<ProjectRule[]>;

/** Nobody typed the project's rules just now, so a secret in them refuses nothing: it is taken out and recorded. */
export function createScreenRules(redactor: Redactor, store: () => Promise<Store>): ScreenRules {
  return async (rules) => {
    const screened: ProjectRule[] = [];
    for (const { path, text } of rules) {
      const { text: clean, findings } = redactor.redact(text);
      screened.push({ path, text: clean });
      if (findings.length === 0) continue;
      const audit = openAudit({ journal: (await store()).journal, redact: (t) => redactor.redact(t).text, actor: USER });
      await audit.secrets({ place: "index", subject: path, count: findings.length, patterns: findings.map((f) => f.pattern) });
    }
    return screened;
  };
}
