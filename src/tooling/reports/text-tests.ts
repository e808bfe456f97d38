/** Test runners whose report is text: TAP, pytest and unittest, `cargo test`. */
import { must } from "../../kernel/index.ts";
import { emptyTotals, failure, placeIn, type ParsedReport, type TestTotals } from "./types.ts";

const TAP_LINE = /^\s*(?:(?:not )?ok\b|\d+\.\.\d+|# |Bail out!)/u;

interface TapPoint {
  depth: number;
  ok: boolean;
  name: string;
  /** Skipped, or not to be counted yet. */
  left: boolean;
  /** The block of details below it. */
  block: string[];
  /** What was printed before it: of a file that could not be loaded, this is all that tells why. */
  printed: string[];
}

const marginOf = (line: string): number => line.length - line.trimStart().length;

/**
 * The block below a point ends where its own margin says so: three dots further in belong to what is told. Some write
 * no block, and what they have to tell stands further in.
 */
function tapBlock(lines: readonly string[], from: number, depth: number): { block: string[]; next: number } {
  const open = lines[from] ?? "";
  if (!/^\s*---\s*$/u.test(open)) {
    const told = lines.findIndex((line, i) => i >= from && (marginOf(line) <= depth || TAP_LINE.test(line)));
    return { block: lines.slice(from, told === -1 ? lines.length : told), next: told === -1 ? lines.length : told };
  }
  const margin = marginOf(open);
  const end = lines.findIndex((line, i) => i > from && /^\s*\.\.\.\s*$/u.test(line) && marginOf(line) === margin);
  const next = end === -1 ? lines.length : end;
  return { block: lines.slice(from + 1, next), next: next + 1 };
}

function tapFailure({ block, printed }: TapPoint, name: string): TestTotals["failures"][number] {
  const body = block.join("\n");
  const value = (key: string): string | undefined => new RegExp(`^\\s*${key}: ['"]?(?![|>]-?\\s*$)(.*?)['"]?\\s*$`, "mu").exec(body)?.[1];
  const folded = /^\s*(?:error|message): [|>]-?\s*\n\s*(.+)$/mu.exec(body)?.[1];
  const said =
    folded ??
    value("error") ??
    value("message") ??
    (/^\s*[\w]+:/mu.test(body) ? "" : block.find((line) => line.trim() !== "")?.trim()) ??
    "";
  const empty = said === "" || said === "test failed";
  const trouble = empty ? printed.find((line) => /^(?:\w*Error|Uncaught)\b.*:/u.test(line)) : undefined;
  const place = placeIn(value("location") ?? value("at") ?? body);
  return failure({
    name,
    file: place?.file,
    line: place?.line,
    message: trouble ?? said,
    expected: value("expected") ?? value("wanted"),
    actual: value("actual") ?? value("found"),
    stack: (trouble === undefined ? body : printed.join("\n")) || undefined,
  });
}

/** Subtests are counted, the line that sums them up is not. */
export function parseTap(text: string): ParsedReport | undefined {
  if (!/^TAP version|^\s*(?:not )?ok\b|^1\.\.\d+/mu.test(text)) return undefined;
  const totals = emptyTotals();
  const lines = text.split("\n").map((line) => line.replace(/\r$/u, ""));
  const parents = new Map<number, string>();
  let deepest = 0;
  let printed: string[] = [];
  for (let i = 0; i < lines.length;) {
    const line = must(lines[i]);
    i += 1;
    const subtest = /^(\s*)# Subtest: (.*)$/u.exec(line);
    if (subtest !== null) {
      const depth = must(subtest[1]).length;
      parents.set(depth, must(subtest[2]));
      for (const known of parents.keys()) if (known > depth) parents.delete(known);
      continue;
    }
    const bail = /^\s*Bail out!\s*(.*)$/u.exec(line);
    if (bail !== null) {
      totals.failed += 1;
      totals.failures.push(failure({ name: "run", message: `Bail out! ${bail[1] ?? ""}`.trim() }));
      continue;
    }
    if (/^\s*\}\s*$/u.test(line)) {
      deepest = marginOf(line);
      for (const known of parents.keys()) if (known >= deepest) parents.delete(known);
      continue;
    }
    const found = /^(\s*)(not )?ok\b\s*\d*\s*(?:- )?(.*?)(?:\s+#\s*(skip|todo)\b.*)?(?:\s+# time=\S+)?(\s+\{)?$/iu.exec(line);
    if (found === null) {
      printed.push(line.replace(/^\s*# ?/u, "").replaceAll("\\#", "#"));
      continue;
    }
    const depth = must(found[1]).length;
    if (found[5] !== undefined) {
      // Its parts follow in braces, and say all of it.
      parents.set(depth, must(found[3]));
      continue;
    }
    const { block, next } = tapBlock(lines, i, depth);
    i = next;
    const point = { depth, ok: found[2] === undefined, name: must(found[3]), left: found[4] !== undefined, block, printed };
    printed = [];
    const sums = deepest > depth;
    deepest = depth;
    if (sums || /^\s*type: ['"]?suite/mu.test(block.join("\n"))) continue;
    const above = [...parents].filter(([level]) => level < depth).toSorted((a, b) => a[0] - b[0]);
    const name = [...above.map(([, parent]) => parent), point.name === "" ? `test ${i}` : point.name].join(" > ");
    if (point.left) totals.skipped += 1;
    else if (point.ok) {
      totals.passed += 1;
      totals.passedNames.push(name);
    } else {
      totals.failed += 1;
      totals.failures.push(tapFailure(point, name));
    }
  }
  const duration = /^# duration_ms (\d+(?:\.\d+)?)/mu.exec(text)?.[1];
  totals.durationMs = duration === undefined ? undefined : Math.round(Number(duration));
  return { tests: totals, diagnostics: [] };
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/gu, "\\$&");

/** What failed and why, without the source of the test around it, which can be read where it stands. */
function told(section: string): string {
  const lines = section.split("\n").filter((line) => /^(?:>|E\s|[\w./-]+\.py:\d+: )/u.test(line));
  return lines.length === 0 ? section : lines.join("\n");
}

function parsePytestText(text: string): ParsedReport | undefined {
  // With -q it stands there without the line around it.
  const summary =
    /^=+ (?=.*(?:passed|failed|error|skipped|no tests ran|deselected))(.*) in ([\d.]+)s.*=+\s*$/mu.exec(text) ??
    /^((?:\d+ (?:subtests )?(?:passed|failed|errors?|skipped|xfailed|xpassed|deselected|warnings?)(?:, )?)+|no tests ran) in ([\d.]+)s(?: \([\d:]+\))?\s*$/mu.exec(
      text,
    );
  if (summary === null) return undefined;
  const count = (word: string): number => Number(new RegExp(`(\\d+) ${word}`, "u").exec(must(summary[1]))?.[1] ?? 0);
  const totals = {
    ...emptyTotals(),
    passed: count("passed") + count("xpassed"),
    failed: count("failed") + count("errors?"),
    skipped: count("skipped") + count("xfailed"),
    durationMs: Math.round(Number(summary[2]) * 1_000),
  };
  const uncollected = new Set<string>();
  for (const match of text.matchAll(/^(?:FAILED|ERROR) ([^\s:]+)(?:::(\S+(?: \S+)*?))?(?: - (.*))?$/gmu)) {
    const file = must(match[1]);
    // Where a file is reached by two ways, it is told twice that it cannot be loaded.
    if (match[2] === undefined && uncollected.has(file)) {
      totals.failed -= 1;
      continue;
    }
    if (match[2] === undefined) uncollected.add(file);
    const name = match[2] ?? "collection";
    const whole = must(name.split("::").at(-1));
    const sectionOf = (heading: string): string | undefined =>
      new RegExp(`^_+ ${heading} _+$([\\s\\S]*?)(?=^_{3,} |^={3,} )`, "mu").exec(text)?.[1]?.trim();
    const titled = (title: string): string => `(?:ERROR .*)?(?:[\\w.]*\\.)?${escaped(title)}`;
    const section =
      match[2] === undefined
        ? sectionOf(`ERROR collecting ${escaped(file)}`)
        : (sectionOf(titled(whole)) ?? sectionOf(`${titled(whole.replace(/\[.*$/u, ""))}.*?`));
    const place = /^((?!\/)[\w./-]+\.py):(\d+): /mu.exec(section ?? "");
    totals.failures.push(
      failure({
        name: match[2] === undefined ? file : `${file}::${name}`,
        file: place?.[1] ?? file,
        line: place === null ? undefined : Number(place[2]),
        message: match[3] ?? /^E\s+(.*)$/mu.exec(section ?? "")?.[1] ?? "",
        stack: section === undefined ? undefined : told(section),
      }),
    );
  }
  return { tests: totals, diagnostics: [] };
}

function parseUnittest(text: string): ParsedReport | undefined {
  const ran = /^Ran (\d+) tests? in ([\d.]+)s$/mu.exec(text);
  if (ran === null) return undefined;
  const end = /^(?:OK|FAILED)(?: \((.*)\))?\s*$/mu.exec(text.slice(ran.index))?.[1] ?? "";
  const count = (word: string): number => Number(new RegExp(`(?:^|, )${word}=(\\d+)`, "u").exec(end)?.[1] ?? 0);
  const failed = count("failures") + count("errors") + count("unexpected successes");
  const skipped = count("skipped") + count("expected failures");
  const totals = {
    ...emptyTotals(),
    failed,
    skipped,
    durationMs: Math.round(Number(ran[2]) * 1_000),
  };
  const names = new Set<string>();
  for (const match of text.matchAll(
    /^(?:FAIL|ERROR): (\S+)(?: \(([^)]*)\))?(?: ([[(].*))?\n(?:.*\n)?-{20,}\n([\s\S]*?)(?=\n={20,}|\n-{20,})/gmu,
  )) {
    const [, title, whole, part] = match;
    const stack = must(match[4]).trim();
    const frames = [...stack.matchAll(/File "([^"]+)", line (\d+)(?:, in (\S+))?/gu)];
    // Where the test stood, also when what it called raised further down.
    const place = frames.findLast((frame) => frame[3] === title) ?? frames.at(-1);
    const name = whole === undefined ? must(title) : whole.endsWith(`.${title}`) ? whole : `${whole}.${title}`;
    names.add(name);
    totals.failures.push(
      failure({
        name: part === undefined ? name : `${name} ${part}`,
        file: place?.[1],
        line: place === undefined ? undefined : Number(place[2]),
        message: stack.split("\n").at(-1) ?? "",
        stack,
      }),
    );
  }
  // Each failing part of a test is counted as failed, the test itself was run once.
  const parts = totals.failures.length - names.size;
  totals.passed = Math.max(0, Number(ran[1]) - (failed - parts) - skipped);
  return { tests: totals, diagnostics: [] };
}

export function parsePytest(text: string): ParsedReport | undefined {
  return parsePytestText(text) ?? parseUnittest(text);
}

export function parseCargoTest(text: string): ParsedReport | undefined {
  const results = [...text.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;.*?(?:finished in ([\d.]+)s)?$/gmu)];
  const broken = [...text.matchAll(/^error(?:\[(E\d+)\])?: (.+)\n\s+--> ([^:\n]+):(\d+):(\d+)/gmu)];
  if (results.length === 0 && broken.length === 0) return undefined;
  const totals = emptyTotals();
  for (const result of results) {
    totals.passed += Number(result[1]);
    totals.failed += Number(result[2]);
    totals.skipped += Number(result[3]);
    if (result[4] !== undefined) totals.durationMs = (totals.durationMs ?? 0) + Math.round(Number(result[4]) * 1_000);
  }
  for (const match of text.matchAll(/^test (\S+)(?: - should panic)? \.\.\. ok$/gmu)) totals.passedNames.push(must(match[1]));
  for (const match of text.matchAll(/^---- (\S+) stdout ----\n([\s\S]*?)(?=\n---- |\nfailures:|\n\n\n)/gmu)) {
    const stack = must(match[2]).trim();
    const panic = /panicked at (?:'(.*)', )?([^:\n]+):(\d+):\d+:?\n?(.*)/u.exec(stack);
    const value = (word: string): string | undefined => new RegExp(`^\\s*${word}: (.*)$`, "mu").exec(stack)?.[1];
    totals.failures.push(
      failure({
        name: must(match[1]),
        file: panic?.[2],
        line: panic === null ? undefined : Number(panic[3]),
        message: panic?.[1] ?? panic?.[4] ?? stack.split("\n")[0] ?? "",
        expected: value("right"),
        actual: value("left"),
        stack,
      }),
    );
  }
  const diagnostics = broken.map((match) => ({
    file: match[3],
    line: Number(match[4]),
    column: Number(match[5]),
    severity: "error" as const,
    message: must(match[2]),
    rule: match[1],
  }));
  if (results.length === 0) totals.failed += 1;
  return { tests: totals, diagnostics };
}
