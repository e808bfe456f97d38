/** How many steps a task may take (CTX-024): more while it gets on, never beyond the ceiling. */
export interface StepBudget {
  base: number;
  /** Steps granted beyond the one that brought progress. */
  extension: number;
  ceiling: number;
}

const STEP_BUDGET: StepBudget = { base: 15, extension: 10, ceiling: 50 };

export function firstLimit(maxSteps: number | null, budget: StepBudget = STEP_BUDGET): number {
  return maxSteps ?? budget.base;
}

export function nextLimit(
  input: { limit: number; step: number; progress: boolean; maxSteps: number | null },
  budget: StepBudget = STEP_BUDGET,
): number {
  if (input.maxSteps !== null || !input.progress) return input.limit;
  return Math.max(input.limit, Math.min(budget.ceiling, input.step + budget.extension));
}
