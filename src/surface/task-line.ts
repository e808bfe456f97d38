/** A task as it goes on, in lines for machines and for people. */
import type { Result } from "../protocol/api/index.ts";

type Task = Result<"task.show">;

/** What `task start --json` prints, one a line. The first carries the version of this format. */
export type TaskLine =
  | { type: "task"; version: 1; id: string; goal: string; model: string }
  | {
      type: "step";
      id: string;
      step: number;
      phase: string;
      text: string;
      tokens: number;
      usage: { input: number; output: number; cached: number; cost_usd: number | null };
    }
  | { type: "action"; id: string; step: number; action: string; target: string; ok: boolean; outcome: string; summary: string }
  /** What a step changed, as a unified diff; cut when it is long. */
  | { type: "edit"; id: string; step: number; diff: string; truncated: boolean }
  | {
      type: "verification";
      id: string;
      step: number;
      ready: boolean;
      checks: {
        name: string;
        passed: boolean;
        could_not_run?: boolean | undefined;
        summary: string;
        tests?: { passed: number; failed: number; skipped: number } | undefined;
      }[];
    }
  | { type: "decision"; id: string; step: number; decision: string; phase: string; why: Task["why"]; reason: string }
  | { type: "question"; id: string; question: string; text: string }
  | { type: "tree"; id: string; what: "created" | "merged" | "undone" | "discarded"; summary: string }
  | {
      type: "outcome";
      id: string;
      status: Task["status"];
      verified: boolean;
      evidence?: Task["evidence"];
      step: number;
      why: Task["why"];
      reason: string;
      question?: string | undefined;
      question_id?: string | undefined;
      report?: string | undefined;
      usage: Task["usage"];
    };
