/** Exit codes are part of the interface: scripts decide by them. */
import { isAbort, SylkError } from "../../kernel/index.ts";

export const EXIT = {
  success: 0,
  failure: 1,
  usage: 2,
  notVerified: 3,
  stuck: 4,
  budget: 5,
  timeout: 6,
  provider: 7,
  permission: 8,
  notSignedIn: 41,
  configuration: 52,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;

/** What each says, for whoever writes the script. */
export const EXIT_WORDS: readonly (readonly [string, string])[] = [
  ["0", "done and verified, or answered"],
  ["1", "failed"],
  ["2", "the words were wrong"],
  ["3", "finished, not verified"],
  ["4", "needs a person: `sylk questions` shows for what"],
  ["5", "a budget is used up"],
  ["6", "took too long"],
  ["7", "a provider is away or limits"],
  ["8", "not permitted"],
  ["41", "not signed in"],
  ["52", "the configuration is wrong"],
  ["129, 130, 143", "the terminal was closed, Ctrl+C, stopped by a signal"],
];

const NOT_SIGNED_IN = /(KEY_MISSING|NO_KEY|NONE_SET_UP|UNAUTHORIZED|NOT_SIGNED_IN|AUTH)/;
const BY_CODE: [RegExp, number][] = [
  [/^USAGE(?:_|$)/, EXIT.usage],
  [/^CONFIG_|^MODEL_UNKNOWN$|^HOME_/, EXIT.configuration],
  [/^PERMISSION_/, EXIT.permission],
  [/BUDGET/, EXIT.budget],
  [/NEEDS_APPROVAL$/, EXIT.stuck],
  [/^DEADLINE_/, EXIT.timeout],
  [NOT_SIGNED_IN, EXIT.notSignedIn],
];

export function exitCodeOf(error: unknown): number {
  if (isAbort(error)) return EXIT.interrupted;
  if (!SylkError.is(error)) return EXIT.failure;
  // It rests until its question is answered.
  if (typeof error.details["question"] === "string") return EXIT.stuck;
  for (const [pattern, code] of BY_CODE) if (pattern.test(error.code)) return code;
  return error.tier === "external_degrading" || error.tier === "external_rate_limit" ? EXIT.provider : EXIT.failure;
}

/** Why a task waits, by the code it was paused with. */
export function exitCodeOfPause(code: string | undefined): number {
  if (code === "PAUSED") return EXIT.stuck;
  if (code !== undefined && code.includes("BUDGET")) return EXIT.budget;
  return code !== undefined && NOT_SIGNED_IN.test(code) ? EXIT.notSignedIn : EXIT.provider;
}
