/** What failed in a test run, for whoever has to mend it: each failure whole within its room, nothing of what passed. */
import type { TestFailure } from "./types.ts";
import type { ToolReport } from "./read-report.ts";

/** About 300 tokens. */
const FAILURE_CHARS = 1_000;
const WHOLE_FAILURES = 40;
const NAMED_FAILURES = 200;

/** What a TAP block says about itself, not about the failure. */
const BOOKKEEPING = /^\s*(?:duration_ms|type|failureType|code|operator|name): .*$/u;

/** Frames of the runtime and of the runner: where it went wrong is above them. */
const RUNTIME_FRAME =
  /^\s*(?:at )?(?:async )?(?:[^()]*\()?node:[\w/]+:\d+:\d+\)?|^\s*(?:at )?(?:async |new )*[\w.]+ \((?:<anonymous>|index \d+)\)|^\s*at .*[\\/]node_modules[\\/]|^\s*\d+: .*(?:rust_begin_unwind|core::|std::|test::)|^\s+at \/rustc\//u;

function withoutMargin(lines: readonly string[]): string[] {
  const margins = lines.filter((line) => line.trim() !== "").map((line) => line.length - line.trimStart().length);
  const margin = Math.min(...margins);
  return lines.map((line) => line.slice(Number.isFinite(margin) ? margin : 0));
}

/** The beginning, and the end where the place often stands. */
function within(text: string, room: number): string {
  if (text.length <= room) return text;
  const lines = text.split("\n");
  const head: string[] = [];
  const tail: string[] = [];
  let left = room - 30;
  for (let [i, j] = [0, lines.length - 1]; i <= j;) {
    const fromHead = head.join("\n").length <= 2 * tail.join("\n").length;
    const line = (fromHead ? lines[i] : lines[j]) ?? "";
    if (line.length + 1 > left) {
      if (head.length === 0) head.push(`${line.slice(0, left)} …`);
      break;
    }
    left -= line.length + 1;
    if (fromHead) head.push(line);
    else tail.unshift(line);
    if (fromHead) i += 1;
    else j -= 1;
  }
  return [...head, `… ${lines.length - head.length - tail.length} lines omitted …`, ...tail].join("\n");
}

function bodyOf({ stack, message, expected, actual }: TestFailure): string {
  if (stack !== undefined)
    return withoutMargin(stack.split("\n").filter((line) => !BOOKKEEPING.test(line) && !RUNTIME_FRAME.test(line)))
      .join("\n")
      .trim();
  const sides = [expected === undefined ? "" : `expected: ${expected}`, actual === undefined ? "" : `actual: ${actual}`];
  return [message, ...sides].filter((line) => line !== "").join("\n");
}

function heading({ name, file, line }: TestFailure): string {
  return `✗ ${name}${file === undefined ? "" : ` (${file}${line === undefined ? "" : `:${line}`})`}`;
}

/** Undefined when the report tells no failures one by one. */
export function showFailures({ tests, summary, diagnostics }: ToolReport): string | undefined {
  const failures = tests?.failures ?? [];
  if (failures.length === 0 || diagnostics.length > 0) return undefined;
  const whole = failures.slice(0, WHOLE_FAILURES).map((one) => {
    const body = within(bodyOf(one), FAILURE_CHARS)
      .split("\n")
      .map((line) => `    ${line}`.trimEnd());
    return [heading(one), ...body].join("\n");
  });
  const named = failures.slice(WHOLE_FAILURES, NAMED_FAILURES).map(heading);
  const rest = failures.length - NAMED_FAILURES;
  return [summary, ...whole, ...named, ...(rest > 0 ? [`and ${rest} more`] : [])].join("\n");
}
