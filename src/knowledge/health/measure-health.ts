/**
 * How sound a part of a project is, read off its files as they are now, in the project or in a work tree: no index and
 * no model is needed for it. Bounded; what was measured is kept while the files stay as they are.
 */
import { statSync } from "node:fs";
import path from "node:path";
import { projectFile, SylkError, yieldToLoop, type Clock } from "../../kernel/index.ts";
import { createProjectStyle, readCoverage, type Coverage } from "../../tooling/index.ts";
import type { Health } from "../told/index.ts";
import { isTestFile, kindByName } from "../ingest/classify-file.ts";
import { listProject } from "../ingest/list-project.ts";
import { readSymbols } from "../ingest/read-symbols.ts";
import { ADVICE, grownFrom, maturityOf, summaryOf, warningOf, type HealthLimits } from "./health-levels.ts";

export interface HealthMeter {
  /** `area`: a folder below `root`; `.` for all of it. */
  measure(root: string, area: string, signal: AbortSignal): Promise<Health>;
}

/** Of many files, every so many is looked at for what it defines: that takes longest, and a share is told well by a sample. */
const MOST = { files: 2_000, bytes: 256 * 1024, kept: 32, batch: 16, defining: 150 };
const MARKED = /\b(?:TODO|FIXME|HACK)\b/u;
const DEBT = /(?:\/\/|\/\*|^\s*\*|#|--|;|<!--|""").*?\b(?:TODO|FIXME|HACK)\b/u;
/** In places of types only; a word in a comment is none. */
const ANY = /(?::|\bas|<|\||,)\s*any\b|\bany\[\]|\bAny\b|@ts-ignore|@ts-nocheck|# type: ignore/gu;
const UNKNOWN = /(?::|\bas|<|\||,)\s*unknown\b/gu;
const TYPED = new Set([".ts", ".tsx", ".mts", ".cts", ".py"]);
const INTEGRATION = /(?:^|\/)(?:integration|e2e|functional|acceptance|system|flow|surface)(?:\/|[._-])|[._-](?:integration|e2e)\./iu;
const README = /^readme(?:\.|$)/iu;
const DEFINITIONS = new Set(["function", "class", "struct", "interface", "enum", "trait", "type", "module"]);

interface Texts {
  debt: number;
  any: number;
  unknown: number;
  definitions: number;
  documented: number;
}

async function lookInto(root: string, files: readonly string[], signal: AbortSignal): Promise<Texts> {
  const every = Math.ceil(files.length / MOST.defining);
  const sum: Texts = { debt: 0, any: 0, unknown: 0, definitions: 0, documented: 0 };
  for (const [at, file] of files.entries()) {
    // Others have their turn: a large project is many files.
    if (at % MOST.batch === MOST.batch - 1) await yieldToLoop();
    signal.throwIfAborted();
    const found = projectFile.read(root, file, { maxBytes: MOST.bytes });
    if (found.kind !== "read") continue;
    if (MARKED.test(found.text)) sum.debt += found.text.split("\n").filter((line) => DEBT.test(line.slice(0, 1_000))).length;
    if (isTestFile(file)) continue;
    if (TYPED.has(path.posix.extname(file).toLowerCase())) {
      sum.any += found.text.match(ANY)?.length ?? 0;
      sum.unknown += found.text.match(UNKNOWN)?.length ?? 0;
    }
    if (at % every !== 0) continue;
    const { symbols } = await readSymbols(undefined, found.text, found.text.split("\n"));
    const own = symbols.filter(({ kind }) => DEFINITIONS.has(kind));
    sum.definitions += own.length;
    sum.documented += own.filter(({ doc }) => doc !== "").length;
  }
  return sum;
}

/** `strict` of the nearest tsconfig, or of mypy; null where neither speaks of these files. */
function isStrict(root: string, area: string, files: readonly string[]): boolean | null {
  const has = (...endings: readonly string[]): boolean => files.some((file) => endings.includes(path.posix.extname(file)));
  if (has(".ts", ".tsx", ".mts", ".cts")) {
    for (let folder = area; ; folder = path.posix.dirname(folder)) {
      const text = projectFile.text(root, path.posix.join(folder, "tsconfig.json"));
      if (text !== undefined) return /"strict"\s*:\s*true/u.test(text);
      if (folder === ".") return false;
    }
  }
  if (!has(".py")) return null;
  const settings = ["mypy.ini", "pyproject.toml", "setup.cfg"].map((file) => projectFile.text(root, file) ?? "");
  return settings.some((text) => /^\s*(?:strict|disallow_untyped_defs)\s*=\s*true/imu.test(text));
}

const stampOf = (root: string, files: readonly string[]): { text: string; newestMs: number } => {
  const found = files.map((file) => statSync(path.join(root, file), { throwIfNoEntry: false }));
  return {
    text: files.map((file, at) => `${file}:${found[at]?.size ?? 0}:${found[at]?.mtimeMs ?? 0}`).join("\n"),
    newestMs: Math.max(0, ...found.map((one) => one?.mtimeMs ?? 0)),
  };
};

const round = (value: number): number => Math.round(value * 100) / 100;

/** What stands in an area, by what it is. */
interface Area {
  name: string;
  all: readonly string[];
  code: readonly string[];
  source: readonly string[];
  /** What its patterns are read off: the source, or the tests where there is nothing else. */
  judged: readonly string[];
}

function areaOf(name: string, files: readonly string[]): Area {
  const all = files.filter((file) => isBelow(name, file));
  const code = all.filter((file) => kindByName(file) === "code");
  const source = code.filter((file) => !isTestFile(file));
  return { name, all, code, source, judged: source.length === 0 ? code : source };
}

function areaIn(root: string, wanted: string, files: readonly string[]): Area {
  const name = path.posix.normalize(wanted.replace(/\/+$/u, "") || ".");
  const area = areaOf(name, files);
  if (area.all.length === 0 && statSync(path.join(root, name), { throwIfNoEntry: false }) === undefined)
    throw new SylkError({
      code: "KNOWLEDGE_NO_SUCH_FOLDER",
      tier: "user_fixable",
      message: `there is no folder ${name}`,
      fix: "give a folder relative to the project or to where you are; `sylk map` shows them",
    });
  return area;
}

/** The nearest folder around an area that is a codebase; undefined: the area is one itself, or nothing around it is. */
function around({ name, judged }: Area, files: readonly string[], limits: HealthLimits): Area | undefined {
  if (judged.length >= limits.greenfield_below) return undefined;
  for (let folder = name; folder !== ".";) {
    folder = path.posix.dirname(folder);
    const area = areaOf(folder, files);
    if (area.judged.length >= limits.greenfield_below) return area;
  }
  return undefined;
}

const isBelow = (area: string, file: string): boolean => area === "." || file.startsWith(`${area}/`);

function indicatorsOf(
  root: string,
  { name, all, code, source }: Area,
  found: { texts: Texts; read: number; coverage: Coverage | undefined; newestMs: number },
): Health["indicators"] {
  const { texts, coverage } = found;
  const tests = code.filter(isTestFile);
  const integration = tests.filter((file) => INTEGRATION.test(file)).length;
  return {
    source_files: source.length,
    read_files: found.read,
    test_files: { unit: tests.length - integration, integration },
    coverage:
      coverage === undefined
        ? null
        : {
            ...(coverage.unit === undefined ? {} : { unit: coverage.unit }),
            ...(coverage.integration === undefined ? {} : { integration: coverage.integration }),
            from: coverage.from,
            is_old: coverage.writtenMs < found.newestMs,
          },
    type_safety: { is_strict: isStrict(root, name, source), any: texts.any, unknown: texts.unknown },
    documentation: {
      documented: texts.definitions === 0 ? 0 : round(texts.documented / texts.definitions),
      has_readme: all.some((file) => README.test(path.posix.basename(file)) && path.posix.dirname(file) === name),
    },
  };
}

export function createHealthMeter({ clock, limits }: { clock: Clock; limits: () => HealthLimits }): HealthMeter {
  const style = createProjectStyle();
  const kept = new Map<string, { stamp: string; health: Health }>();
  const look = async (root: string, area: Area, now: HealthLimits, signal: AbortSignal): Promise<Health> => {
    const coverage = readCoverage(root, (file) => isBelow(area.name, file) && !isTestFile(file));
    const read = area.code.slice(0, MOST.files);
    const { text, newestMs } = stampOf(root, read);
    const key = `${root}\n${area.name}`;
    const stamp = `${text}\n${JSON.stringify([now, coverage ?? null, area.all.length])}`;
    const before = kept.get(key);
    if (before?.stamp === stamp) return before.health;
    const texts = await lookInto(root, read, signal);
    const patterns = round(style.agreement(root, area.judged) ?? 0);
    const percent = coverage?.percent ?? null;
    const maturity = maturityOf({ files: area.judged.length, patterns, coverage: percent }, now);
    const measured = {
      area: area.name,
      maturity,
      pattern_confidence: patterns,
      test_coverage: percent,
      debt_markers: texts.debt,
      recommendation: ADVICE[maturity],
    };
    const warning = warningOf(maturity, patterns, now);
    const health: Health = {
      ...measured,
      indicators: indicatorsOf(root, area, { texts, read: read.length, coverage, newestMs }),
      summary: summaryOf(measured),
      ...(warning === undefined ? {} : { warning }),
    };
    if (kept.size >= MOST.kept) kept.clear();
    kept.set(key, { stamp, health });
    return health;
  };
  return {
    async measure(root, wanted, signal) {
      const files = await listProject(root, clock, signal);
      const area = areaIn(root, wanted, files);
      const now = limits();
      const own = await look(root, area, now, signal);
      const home = around(area, files, now);
      return home === undefined ? own : grownFrom(own, await look(root, home, now, signal));
    },
  };
}
