/** The project's own rules for agents, screened: nobody typed them just now, so a secret in them refuses nothing. */
import path from "node:path";
import { openAudit, type Redactor } from "../../guard/index.ts";
import type { Store } from "../../journal/index.ts";
import { USER, type Payload } from "../../protocol/events/index.ts";
import type { Notice, StepExtension } from "../extension.ts";
import { ignoredOverrides } from "../task-type.ts";
import { readProjectRules, rulesWithSecrets } from "./project-rules.ts";
import { placeFolder } from "../place-folder.ts";

export interface RuleParts {
  projectDir: string;
  redactor: Redactor;
  store: () => Promise<Store>;
  trusts: (file: string, text: string) => boolean;
}

export function createRules(parts: RuleParts): StepExtension {
  const { projectDir, redactor } = parts;
  const redact = (text: string): string => redactor.redact(text).text;
  const notice = (target: string, outcome: string, summary: string): Notice => ({ about: "project", target, outcome, summary });
  return {
    name: "rules",
    async given(task) {
      const rules: Payload<"task.created">["rules"] = [];
      for (const { path: file, text } of readProjectRules(projectDir, path.resolve(projectDir, task.folder)).rules) {
        const { text: clean, findings } = redactor.redact(text);
        rules.push({ path: file, text: clean });
        if (findings.length === 0) continue;
        const audit = openAudit({ journal: (await parts.store()).journal, redact, actor: USER });
        await audit.secrets({ place: "index", subject: file, count: findings.length, patterns: findings.map((f) => f.pattern) });
      }
      return { rules };
    },
    begins({ step, created }) {
      if (step > 0) return Promise.resolve([]);
      const ignored = ignoredOverrides(parts);
      return Promise.resolve([
        ...readProjectRules(projectDir, placeFolder(projectDir, created.place)).refused.map((one) =>
          notice(one.path, "rules_not_read", `${one.path} ${one.reason}, so agents do not see it`),
        ),
        ...rulesWithSecrets(projectDir, created.rules, redact).map((file) =>
          notice(file, "secret_in_rules", `${file} holds a secret; agents see [REDACTED] instead, and it belongs elsewhere`),
        ),
        ...(ignored === undefined ? [] : [notice(ignored.files.join(", "), "ignored_overrides", ignored.reason)]),
      ]);
    },
  };
}
