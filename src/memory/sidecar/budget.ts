/** How full a sidecar is (BUD-001). Thresholds come from configuration only. */
import { countTokens } from "../../model/index.ts";
import type { MemoryConfig } from "./memory-config.ts";

/** Larger texts are estimated: counting them would take longer than the answer is worth. */
const COUNTED_CHARS = 400_000;

export function tokensOf(text: string): number {
  return text.length > COUNTED_CHARS ? Math.ceil(text.length / 4) : countTokens(text);
}

export interface BudgetStatus {
  status: "ok" | "warn" | "alert" | "archive_needed" | "no_budget";
  usage_ratio: number | null;
  tokens_used: number | null;
  tokens_budget: number | null;
  tokens_projected: number | null;
  message: string;
}

export function budgetStatus(
  budget: number | undefined,
  used: number,
  addition: number,
  config: Pick<MemoryConfig, "budget_warn_at" | "budget_alert_at" | "budget_archive_at">,
): BudgetStatus {
  if (budget === undefined)
    return { status: "no_budget", usage_ratio: null, tokens_used: null, tokens_budget: null, tokens_projected: null, message: "no budget" };
  const projected = used + addition;
  const ratio = budget === 0 ? Infinity : projected / budget;
  const status =
    ratio >= config.budget_archive_at
      ? "archive_needed"
      : ratio >= config.budget_alert_at
        ? "alert"
        : ratio >= config.budget_warn_at
          ? "warn"
          : "ok";
  const share = Number.isFinite(ratio) ? `${Math.round(ratio * 100)} %` : "all";
  return {
    status,
    usage_ratio: Number.isFinite(ratio) ? ratio : null,
    tokens_used: used,
    tokens_budget: budget,
    tokens_projected: projected,
    message: `${projected} of ${budget} tokens (${share})`,
  };
}
