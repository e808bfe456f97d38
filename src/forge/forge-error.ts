/** What can go wrong in the forge, by its public code (SKF-009). */
import { SylkError } from "../kernel/index.ts";

const CODES = {
  "E-CREATE-001": { tier: "user_fixable", fix: 'say what the skill should do: sylk skill create "review SQL migrations for locks"' },
  "E-CREATE-002": {
    tier: "user_fixable",
    fix: "leave --target out: every CLI found here is used, else .agents/skills, which Sylk and others read",
  },
  "E-CREATE-003": { tier: "user_fixable", fix: "leave --template out, or put the file under .sylk/skill-templates" },
  "E-CREATE-004": { tier: "external_degrading", fix: "try again, name another model with -m, or use --no-model for the plain template" },
  "E-CREATE-005": { tier: "user_fixable", fix: "use lower-case letters, digits and single hyphens, at most 64 characters" },
  "E-CREATE-006": {
    tier: "user_fixable",
    fix: "`sylk skill validate <folder>` tells every check of one that exists; otherwise change the description or edit at the gate",
  },
  "E-CREATE-007": { tier: "user_fixable", fix: "shorten it, or put the details into a file and use `sylk skill extract <file>`" },
  "E-CREATE-008": { tier: "user_fixable", fix: "choose --on-collision overwrite (a backup is made first) or --on-collision rename" },
  "E-CREATE-009": { tier: "user_fixable", fix: "check the folder's permissions and free space; nothing was changed" },
  "E-CREATE-010": { tier: "user_fixable", fix: "run `sylk skill resume` when you are ready to decide" },
  "E-CREATE-011": { tier: "user_fixable", fix: "take it out, and name an environment variable instead" },
} as const satisfies Record<string, { tier: SylkError["tier"]; fix: string }>;

export type ForgeCode = keyof typeof CODES;

export function forgeError(
  code: ForgeCode,
  message: string,
  more: { fix?: string; cause?: unknown; details?: Record<string, unknown> } = {},
): SylkError {
  return new SylkError({
    code,
    tier: CODES[code].tier,
    message,
    fix: more.fix ?? CODES[code].fix,
    cause: more.cause,
    details: more.details,
  });
}
