/** Value types people write in configuration files (CFG-008): durations, sizes, ratios. */
import { must } from "../errors.ts";
import { z } from "zod";

const UNIT_MS: Record<string, number> = { ns: 1e-6, us: 1e-3, ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const UNIT_BYTES: Record<string, number> = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 };

/** Milliseconds of `1h30m`, `500ms`; undefined when it is not a duration. */
function parseDuration(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ns|us|ms|s|m|h|d))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, , unit] of text.matchAll(/(\d+(\.\d+)?)(ns|us|ms|s|m|h|d)/g))
    total += Number(amount) * must(UNIT_MS[unit as string]);
  return total;
}

/** Bytes of `10MB`; undefined when it is not a size. */
function parseSize(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(B|KB|MB|GB|TB)$/i.exec(text);
  return match === null ? undefined : Math.round(Number(match[1]) * must(UNIT_BYTES[must(match[2]).toUpperCase()]));
}

function textual(parse: (text: string) => number | undefined, what: string, example: string, pattern: string) {
  return z
    .string()
    .meta({ pattern, examples: [example] })
    .transform((text, context) => {
      const value = parse(text);
      if (value === undefined) {
        context.addIssue({ code: "custom", message: `"${text}" is not ${what}; write it like ${example}` });
        return z.NEVER;
      }
      return value;
    });
}

/** Written `30s`, read as milliseconds. */
function duration(defaultText: string) {
  return textual(parseDuration, "a duration", defaultText, "^(\\d+(\\.\\d+)?(ns|us|ms|s|m|h|d))+$").prefault(defaultText);
}

/** Written `10MB`, read as bytes. */
function byteSize(defaultText: string) {
  return textual(parseSize, "a size", defaultText, "^\\d+(\\.\\d+)?([BbKkMmGgTt][Bb]?)$").prefault(defaultText);
}

function ratio(defaultValue: number) {
  return z.number().min(0).max(1).default(defaultValue);
}

export const units = { duration, parseDuration, byteSize, ratio } as const;
