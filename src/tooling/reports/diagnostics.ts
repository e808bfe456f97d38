/** Compilers and linters: tsc, ESLint, Biome, Ruff, cargo, and the `file:line:column` convention of all others. */
import { must } from "../../kernel/index.ts";
import { z } from "zod";
import { jsonIn } from "./test-reports.ts";
import type { Diagnostic, ParsedReport } from "./types.ts";

export function parseTsc(text: string): ParsedReport | undefined {
  const diagnostics: Diagnostic[] = [];
  for (const match of text.matchAll(/^(?:(.+?)(?:\((\d+),(\d+)\)|:(\d+):(\d+))(?::| -) )?(error|warning) (TS\d+): (.+)$/gmu)) {
    const line = match[2] ?? match[4];
    const column = match[3] ?? match[5];
    diagnostics.push({
      file: match[1],
      line: line === undefined ? undefined : Number(line),
      column: column === undefined ? undefined : Number(column),
      severity: match[6] as "error" | "warning",
      message: must(match[8]),
      rule: match[7],
    });
  }
  return { diagnostics };
}

/** What ESLint prints for people: the file, then its complaints, indented. */
export function parseStylish(text: string): ParsedReport | undefined {
  const diagnostics: Diagnostic[] = [];
  let file: string | undefined;
  for (const line of text.split("\n")) {
    const found = /^\s+(\d+):(\d+)\s+(error|warning)\s+(.+?)(?:\s{2,}(\S+))?\s*$/u.exec(line);
    if (found === null) file = /^\S.*\.\w+$/u.test(line) ? line : file;
    else
      diagnostics.push({
        file,
        line: Number(found[1]),
        column: Number(found[2]),
        severity: found[3] as "error" | "warning",
        message: must(found[4]),
        rule: found[5],
      });
  }
  return { diagnostics };
}

/** What `prettier --check` lists: a line for each file, and why one could not be read. */
export function parsePrettier(text: string): ParsedReport | undefined {
  const diagnostics: Diagnostic[] = [];
  for (const match of text.matchAll(/^\[(?:warn|error)\] (\S+?\.\w+)(?:: (.+?))?(?: \((\d+):(\d+)\))?$/gmu)) {
    const [, file, message, line, column] = match;
    diagnostics.push({
      file,
      line: line === undefined ? undefined : Number(line),
      column: column === undefined ? undefined : Number(column),
      severity: "error",
      message: message ?? "is not formatted",
      rule: undefined,
    });
  }
  return { diagnostics };
}

const eslintSchema = z.array(
  z.object({
    filePath: z.string(),
    messages: z.array(
      z.object({
        ruleId: z.string().nullish(),
        severity: z.number(),
        message: z.string(),
        line: z.number().optional(),
        column: z.number().optional(),
      }),
    ),
  }),
);

export function parseEslint(text: string): ParsedReport | undefined {
  const parsed = eslintSchema.safeParse(jsonIn(text));
  if (!parsed.success) return undefined;
  return {
    diagnostics: parsed.data.flatMap((file) =>
      file.messages.map((item) => ({
        file: file.filePath,
        line: item.line,
        column: item.column,
        severity: item.severity === 2 ? ("error" as const) : ("warning" as const),
        message: item.message,
        rule: item.ruleId ?? undefined,
      })),
    ),
  };
}

const biomeSchema = z.object({
  diagnostics: z.array(
    z.object({
      category: z.string().nullish(),
      severity: z.string(),
      description: z.string().optional(),
      message: z.union([z.string(), z.array(z.object({ content: z.string() }))]).optional(),
      location: z
        .object({
          path: z.union([z.string(), z.object({ file: z.string() })]).nullish(),
          start: z.object({ line: z.number(), column: z.number() }).nullish(),
          span: z.tuple([z.number(), z.number()]).nullish(),
          sourceCode: z.string().nullish(),
        })
        .partial()
        .optional(),
    }),
  ),
});

function placeOfOffset(source: string | null | undefined, offset: number | undefined): { line: number; column: number } | undefined {
  if (source === null || source === undefined || offset === undefined) return undefined;
  const before = Buffer.from(source).subarray(0, offset).toString();
  return { line: before.split("\n").length, column: before.length - before.lastIndexOf("\n") };
}

function severityOf(word: string): Diagnostic["severity"] {
  return /^(?:error|fatal)/iu.test(word) ? "error" : /^warn/iu.test(word) ? "warning" : "info";
}

export function parseBiome(text: string): ParsedReport | undefined {
  const parsed = biomeSchema.safeParse(jsonIn(text));
  if (!parsed.success) return undefined;
  return {
    diagnostics: parsed.data.diagnostics.map((item) => {
      const place = item.location?.start ?? placeOfOffset(item.location?.sourceCode, item.location?.span?.[0]);
      const file = item.location?.path;
      const message =
        item.description ?? (typeof item.message === "string" ? item.message : (item.message ?? []).map((part) => part.content).join(""));
      return {
        file: typeof file === "string" ? file : file?.file,
        line: place?.line,
        column: place?.column,
        severity: severityOf(item.severity),
        message,
        rule: item.category ?? undefined,
      };
    }),
  };
}

const ruffSchema = z.array(
  z.object({
    filename: z.string(),
    code: z.string().nullish(),
    message: z.string(),
    location: z.object({ row: z.number(), column: z.number() }).nullish(),
  }),
);

export function parseRuff(text: string): ParsedReport | undefined {
  const parsed = ruffSchema.safeParse(jsonIn(text));
  if (!parsed.success) return undefined;
  return {
    diagnostics: parsed.data.map((item) => ({
      file: item.filename,
      line: item.location?.row,
      column: item.location?.column,
      severity: "error" as const,
      message: item.message,
      rule: item.code ?? undefined,
    })),
  };
}

const cargoSchema = z.object({
  reason: z.literal("compiler-message"),
  message: z.object({
    level: z.string(),
    message: z.string(),
    code: z.object({ code: z.string() }).nullish(),
    spans: z.array(z.object({ file_name: z.string(), line_start: z.number(), column_start: z.number(), is_primary: z.boolean() })),
  }),
});

export function parseCargoJson(text: string): ParsedReport | undefined {
  const diagnostics: Diagnostic[] = [];
  let records = 0;
  for (const line of text.split("\n")) {
    if (!line.startsWith("{")) continue;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      continue; // Program output between the records.
    }
    records += 1;
    const parsed = cargoSchema.safeParse(value);
    if (!parsed.success || parsed.data.message.spans.length === 0) continue;
    const { message } = parsed.data;
    const span = message.spans.find((item) => item.is_primary) ?? message.spans[0];
    diagnostics.push({
      file: span?.file_name,
      line: span?.line_start,
      column: span?.column_start,
      severity: severityOf(message.level),
      message: message.message,
      rule: message.code?.code,
    });
  }
  return records === 0 ? undefined : { diagnostics };
}

/** `file:line[:column]: [severity:] message [rule]` — gcc, go, mypy, pyright, flake8, shellcheck, golangci-lint, oxlint. */
export function parseLocations(text: string): ParsedReport | undefined {
  const diagnostics: Diagnostic[] = [];
  for (const match of text.matchAll(
    /^(?:vet: )?\s*((?:[A-Za-z]:)?[^\s:()]+\.\w+):(\d+)(?::(\d+))?(?::| -)\s*(?:(error|warning|note|info|fatal error|E|W|C|F|R)(?:\[([^\]]+)\])?\s*:\s*|(error|warning|information) ?- ?|(error|warning): )?(.+)$/gmu,
  )) {
    const word = match[4] ?? match[6] ?? match[7] ?? "error";
    const body = must(match[8]);
    const rule = match[5] ?? /\s[[(]([\w./-]+)[\])]$/u.exec(body)?.[1] ?? /^([A-Z]+\d+)\s/u.exec(body)?.[1];
    const severity = /^(?:W|C|R)$/u.test(word) ? "warning" : /^(?:E|F)$/u.test(word) ? "error" : severityOf(word);
    diagnostics.push({
      file: match[1],
      line: Number(match[2]),
      column: match[3] === undefined ? undefined : Number(match[3]),
      severity,
      message: body,
      rule,
    });
  }
  return { diagnostics };
}
