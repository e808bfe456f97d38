/** The forms that tools write coverage in, each read into which lines of a file could run and which did. */
import { z } from "zod";
import { parseXml, type XmlElement } from "../reports/xml.ts";

/** By file of the project: by line, whether it was run. */
export type Lines = Map<string, Map<number, boolean>>;

type ReadReport = (text: string, placeOf: (written: string) => string) => Lines | undefined;

function add(lines: Lines, file: string, line: number, hit: boolean): void {
  const own = lines.get(file) ?? new Map<number, boolean>();
  own.set(line, hit || own.get(line) === true);
  lines.set(file, own);
}

function readLcov(text: string, placeOf: (written: string) => string): Lines {
  const lines: Lines = new Map();
  let file = "";
  for (const row of text.split("\n")) {
    if (row.startsWith("SF:")) file = placeOf(row.slice(3).trim());
    const ran = /^DA:(\d+),(-?\d+)/u.exec(row);
    if (ran !== null && file !== "") add(lines, file, Number(ran[1]), Number(ran[2]) > 0);
  }
  return lines;
}

const readJson = <T>(schema: z.ZodType<T>, text: string): T | undefined => {
  try {
    const read = schema.safeParse(JSON.parse(text));
    return read.success ? read.data : undefined;
  } catch {
    // Half written, or of another tool: no report.
    return undefined;
  }
};

const istanbul = z.record(
  z.string(),
  z.object({
    path: z.string(),
    statementMap: z.record(z.string(), z.object({ start: z.object({ line: z.number() }) })),
    s: z.record(z.string(), z.number()),
  }),
);

function readIstanbul(text: string, placeOf: (written: string) => string): Lines | undefined {
  const report = readJson(istanbul, text);
  if (report === undefined) return undefined;
  const lines: Lines = new Map();
  for (const { path, statementMap, s } of Object.values(report))
    for (const [id, { start }] of Object.entries(statementMap)) add(lines, placeOf(path), start.line, (s[id] ?? 0) > 0);
  return lines;
}

const python = z.object({
  files: z.record(z.string(), z.object({ executed_lines: z.array(z.number()), missing_lines: z.array(z.number()) })),
});

function readPython(text: string, placeOf: (written: string) => string): Lines | undefined {
  const report = readJson(python, text);
  if (report === undefined) return undefined;
  const lines: Lines = new Map();
  for (const [file, { executed_lines: ran, missing_lines: missed }] of Object.entries(report.files)) {
    for (const line of ran) add(lines, placeOf(file), line, true);
    for (const line of missed) add(lines, placeOf(file), line, false);
  }
  return lines;
}

const within = (element: XmlElement): XmlElement[] => [element, ...element.children.flatMap(within)];

function readCobertura(text: string, placeOf: (written: string) => string): Lines | undefined {
  const root = parseXml(text.slice(Math.max(0, text.indexOf("<coverage"))));
  if (root === undefined) return undefined;
  const lines: Lines = new Map();
  for (const file of within(root).filter(({ name, attributes }) => name === "class" && attributes["filename"] !== undefined))
    for (const { name, attributes } of within(file))
      if (name === "line")
        add(lines, placeOf(file.attributes["filename"] ?? ""), Number(attributes["number"]), Number(attributes["hits"]) > 0);
  return lines;
}

/** `module/path/file.go:3.20,5.2 1 1`: a stretch of lines, its statements, how often it ran. */
function readGo(text: string, placeOf: (written: string) => string): Lines | undefined {
  if (!text.startsWith("mode:")) return undefined;
  const lines: Lines = new Map();
  for (const row of text.split("\n")) {
    const ran = /^(.+):(\d+)\.\d+,(\d+)\.\d+ \d+ (\d+)$/u.exec(row);
    if (ran === null) continue;
    const file = placeOf(ran[1] ?? "");
    for (let line = Number(ran[2]); line <= Number(ran[3]); line += 1) add(lines, file, line, Number(ran[4]) > 0);
  }
  return lines;
}

/** By the names their tools give them. */
export const coverageFormats: readonly { name: string; read: ReadReport }[] = [
  { name: "lcov.info", read: readLcov },
  { name: "coverage-final.json", read: readIstanbul },
  { name: "coverage.json", read: readPython },
  { name: "coverage.xml", read: readCobertura },
  { name: "cobertura-coverage.xml", read: readCobertura },
  { name: "coverage.out", read: readGo },
  { name: "cover.out", read: readGo },
];
