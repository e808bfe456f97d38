import { z } from "zod";

const doctorFinding = z.strictObject({
  name: z.string(),
  status: z.enum(["ok", "warning", "problem"]),
  message: z.string(),
  /** What to do about it; absent when all is well. */
  fix: z.string().optional(),
});

export const doctorReport = z.strictObject({ version: z.string(), findings: z.array(doctorFinding), healthy: z.boolean() });
