/**
 * What a user typed, before anything uses it (SEC-021). A certain secret refuses the text; a guess is
 * redacted and the task goes on with the redacted words. Both leave an audit entry without the value.
 */
import type { Journal } from "../journal/index.ts";
import { SylkError } from "../kernel/index.ts";
import { USER } from "../protocol/events/index.ts";
import { openAudit } from "./audit/open-audit.ts";
import { checkPrompt } from "./secrets/check-prompt.ts";
import type { Redactor } from "./secrets/create-redactor.ts";

type ScreenPrompt = (text: string) => Promise<string>;

export function createScreenPrompt(redactor: Redactor, journal: () => Promise<Journal>): ScreenPrompt {
  return async (text) => {
    const check = checkPrompt(redactor, text);
    if (check.kind === "clean") return text;
    const audit = openAudit({ journal: await journal(), redact: (t) => redactor.redact(t).text, actor: USER });
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
