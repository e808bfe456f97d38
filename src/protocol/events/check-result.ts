/** What a check said. */
import { z } from "zod";

const problem = z.object({
  path: z.string().optional(),
  line: z.int().optional(),
  severity: z.enum(["error", "warning", "info"]),
  /** The rule, or the test, that complains. */
  rule: z.string().optional(),
  message: z.string(),
  /** It is a test, and `rule` is its name. */
  test: z.boolean().optional(),
});

export const checkResult = z.object({
  name: z.string(),
  command: z.string(),
  passed: z.boolean(),
  exit: z.int().nullable(),
  summary: z.string(),
  /** Same signature, same failure. */
  signature: z.string(),
  /** Whole output as a blob. */
  output: z.string().optional(),
  /** What is reported, one by one, where the output tells: the first of them. */
  problems: z.array(problem).optional(),
  /** How many there are in all, when that is more. */
  problem_count: z.int().optional(),
  /** The tool itself ended its list early: there are more, and nobody knows how many. */
  cut: z.boolean().optional(),
  /** It said nothing about the work: a program or a package is missing, or it may not run here. */
  could_not_run: z.object({ why: z.string(), fix: z.string().optional(), forbidden: z.boolean().optional() }).optional(),
  /** How many tests there were, where the output tells. */
  tests: z.object({ passed: z.int(), failed: z.int(), skipped: z.int() }).optional(),
  /** Tests, or the check itself, that failed once and passed once on the same files. */
  flaky: z.array(z.string()).optional(),
  /** The run on record that says so (`check.ran`). */
  record: z.string().optional(),
  /** It was not run again: this is when it was. */
  as_run_at: z.number().optional(),
});

/** What of it stands in a judgement. */
export const checkLine = checkResult.pick({ name: true, command: true, passed: true, summary: true, record: true, as_run_at: true });
