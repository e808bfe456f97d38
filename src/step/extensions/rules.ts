/** The project's own rules for agents, screened: nobody typed them just now, so a secret in them refuses nothing. */
import path from "node:path";
import { openAudit, type Redactor } from "../../guard/index.ts";
import type { Clock } from "../../kernel/index.ts";
import type { Store } from "../../journal/index.ts";
import { USER, type Payload } from "../../protocol/events/index.ts";
import type { Notice, StepExtension } from "../extension.ts";
import { ignoredOverrides } from "../task-type.ts";
import { longRules, rulesWithSecrets } from "./project-rules.ts";
import { sharedProjectRules } from "./shared-rules.ts";
import { placeFolder } from "../place-folder.ts";

export interface RuleParts {
  projectDir: string;
  /** Where the user's own rules stand. */
  userDir: string;
  redactor: Redactor;
  store: () => Promise<Store>;
  trusts: (file: string, text: string) => boolean;
  clock: Clock;
}

/** More than these are counted, not listed. */
const TOLD = 5;

export function createRules(parts: RuleParts): StepExtension {
  const { projectDir, userDir, redactor } = parts;
  const redact = (text: string): string => redactor.redact(text).text;
  const notice = (target: string, outcome: string, summary: string): Notice => ({ about: "project", target, outcome, summary });
  return {
    name: "rules",
    async given(task) {
      const rules: Payload<"task.created">["rules"] = [];
      const read = await sharedProjectRules(projectDir, path.resolve(projectDir, task.folder), userDir, parts.clock);
      for (const { path: file, text } of read.rules) {
        const { text: clean, findings } = redactor.redact(text);
        rules.push({ path: file, text: clean });
        if (findings.length === 0) continue;
        const audit = openAudit({ journal: (await parts.store()).journal, redact, actor: USER });
        await audit.secrets({ place: "index", subject: file, count: findings.length, patterns: findings.map((f) => f.pattern) });
      }
      return { rules };
    },
    async begins({ step, created }) {
      if (step > 0) return [];
      const ignored = ignoredOverrides(parts);
      const { refused } = await sharedProjectRules(projectDir, placeFolder(projectDir, created.place), userDir, parts.clock);
      const more = refused.slice(TOLD);
      return [
        ...refused.slice(0, TOLD).map((one) => notice(one.path, "rules_not_read", `${one.path} ${one.reason}, so agents do not see it`)),
        ...more
          .slice(0, 1)
          .map((one) => notice(one.path, "rules_not_read", `${more.length} more of what the rules take in by @ cannot be read`)),
        ...rulesWithSecrets(projectDir, created.rules, redact).map((file) =>
          notice(file, "secret_in_rules", `${file} holds a secret; agents see [REDACTED] instead, and it belongs elsewhere`),
        ),
        ...longRules(created.rules).map(({ path: file, kib }) =>
          notice(file, "long_rules", `${file} has ${kib} KiB of rules, which every step reads; shorter ones are followed better`),
        ),
        ...(ignored === undefined ? [] : [notice(ignored.files.join(", "), "ignored_overrides", ignored.reason)]),
      ];
    },
  };
}
