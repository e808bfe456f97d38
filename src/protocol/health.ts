/** How sound a part of the project is, as measured: what whoever plans or builds there should know of it. */
import { z } from "zod";
import { CHOICES } from "./choices.ts";

const share = z.number().min(0).max(1);

export const healthSchema = z.strictObject({
  /** A folder; `.` is the whole project. */
  area: z.string(),
  maturity: z.enum(CHOICES.maturity),
  /** The folder around it whose maturity and patterns these are: it is too small to have its own. */
  as_in: z.string().optional(),
  /** How far what is there is written alike; 0 where there is nothing to compare. */
  pattern_confidence: share,
  /** Percent of the lines that tests run; null: no report says. */
  test_coverage: z.number().min(0).max(100).nullable(),
  /** Comments with TODO, FIXME or HACK. */
  debt_markers: z.int(),
  recommendation: z.string(),
  indicators: z.strictObject({
    /** Source files without tests, and how many files were looked into. */
    source_files: z.int(),
    read_files: z.int(),
    test_files: z.strictObject({ unit: z.int(), integration: z.int() }),
    coverage: z
      .strictObject({
        unit: z.number().optional(),
        integration: z.number().optional(),
        from: z.array(z.string()),
        /** Something was changed since it was measured. */
        is_old: z.boolean(),
      })
      .nullable(),
    type_safety: z.strictObject({
      /** Whether types are enforced; null: its languages leave no choice, or have none. */
      is_strict: z.boolean().nullable(),
      any: z.int(),
      unknown: z.int(),
    }),
    documentation: z.strictObject({ documented: share, has_readme: z.boolean() }),
  }),
  /** All of it in a line, as agents are told it. */
  summary: z.string(),
  /** What to do first where patterns cannot be relied on. */
  warning: z.string().optional(),
});
