/**
 * What the project's language servers know, where it has one: problems an edit brought stand beside its result, and
 * names can be followed and renamed. Offered only to tasks in a folder with a server, so it costs others nothing.
 */
import path from "node:path";
import { z } from "zod";
import { wording, type Clock } from "../../kernel/index.ts";
import { listProjectFiles, type FileRequest, type Workspace } from "../../workspace/index.ts";
import type { LanguageServers, LookedAt } from "../../tooling/index.ts";
import { defineAction, type Action, type ActionContext, type ActionResult } from "../actions/action.ts";
import { readFileItem } from "../actions/file-item.ts";
import { applyRequests } from "../actions/write-actions.ts";
import type { StepExtension } from "../extension.ts";

export interface CodeIntelligenceParts {
  servers: LanguageServers;
  projectDir: string;
  clock: Clock;
  redact: (text: string) => string;
}

/** A text of a server on one line, without secrets and cut. */
type Said = (text: string, maxChars: number) => string;

const KNOWN = "language servers";
/** Files looked at to tell which endings have a server. */
const SAMPLED = 400;
const SHOWN = 8;
const LINES_BEFORE = 2;
const LINES_AFTER = 40;
const MAX_PLACES = 60;
const MAX_PLACE_FILES = 15;
const PATH_CHARS = 300;
const ITEM = "problems";

/** Some files of every ending, from all over the project. */
function sample(files: readonly string[]): string[] {
  const byEnding = [...Map.groupBy(files, (file) => path.extname(file).toLowerCase()).values()];
  const each = Math.max(1, Math.floor(SAMPLED / Math.max(1, byEnding.length)));
  return byEnding.flatMap((all) => all.filter((_, i) => i % Math.ceil(all.length / each) === 0));
}

/** Servers are given only what the task itself may read. */
const lookedAt = ({ root, files }: Pick<Workspace, "root" | "files">): LookedAt => ({
  folder: root,
  text: (file) => files.source(file),
});

const count = (number: number, what: string): string => (number === 0 ? "" : `${number} new ${what}${number === 1 ? "" : "s"}`);

export function createCodeIntelligence(parts: CodeIntelligenceParts): StepExtension {
  const { servers } = parts;
  const said: Said = (text, maxChars) => wording.oneLine(parts.redact(text), maxChars);
  const told = new Set<string>();
  /** Said once a task: it goes on without. */
  const once = (task: string, text: string): string[] => {
    if (told.has(`${task} ${text}`)) return [];
    told.add(`${task} ${text}`);
    return [text];
  };
  return {
    name: "code intelligence",
    actions: codeActions(parts, said),
    async given(task) {
      const folder = task.tree?.path ?? path.resolve(parts.projectDir, task.folder);
      const endings = servers.endingsWith(folder, sample(await listProjectFiles(folder, parts.clock)));
      return endings.length === 0 ? {} : { inputs: { [KNOWN]: endings.toSorted().join(" ") } };
    },
    changing: (_task, workspace, files) => servers.changing(lookedAt(workspace), files),
    async changed({ created }, workspace, files, signal) {
      const { problems, missing } = await servers.changed(lookedAt(workspace), files, signal);
      const late = missing.flatMap(({ server, why }) => once(created.id, said(`${server}: ${said(why, 120)}; going on without it`, 200)));
      if (problems.length === 0) return { summary: late.join("; "), item: { key: ITEM, title: "", lines: [] } };
      const lines = problems.map(
        ({ path: file, line, severity, message, code }) =>
          `${file}:${line} ${severity}${code === undefined ? "" : ` ${said(code, 60)}`}: ${said(message, 240)}`,
      );
      const errors = problems.filter(({ severity }) => severity === "error").length;
      const counted = [count(errors, "error"), count(problems.length - errors, "warning")].filter((one) => one !== "").join(", ");
      const more = lines.length > SHOWN ? [`and ${lines.length - SHOWN} more`] : [];
      return {
        summary: [...late, `this brought ${counted}: see problems`].join("; "),
        item: { key: ITEM, title: `your last change brought ${counted}`, lines: [...lines.slice(0, SHOWN), ...more] },
      };
    },
  };
}

const spot = z.object({ path: z.string(), line: z.int().min(1), name: z.string().min(1) });

function codeActions({ servers, clock }: CodeIntelligenceParts, said: Said): Action[] {
  const offeredTo: Action["offeredTo"] = (task) => task.inputs[KNOWN] !== undefined;
  const at = (args: z.infer<typeof spot>): string => `${args.name} ${args.path}:${args.line}`;
  const unknown = (reason: string): ActionResult => ({ ok: false, outcome: "unknown", summary: said(reason, 400) });
  const renaming = async (args: z.infer<typeof spot> & { to: string }, context: ActionContext): Promise<FileRequest[] | ActionResult> => {
    const { workspace, signal } = context;
    const found = await servers.rename(lookedAt(workspace), args, args.to, signal);
    if (found.kind === "unknown") return unknown(found.reason);
    const own = new Set(await listProjectFiles(workspace.root, clock));
    const foreign = found.files.find((file) => !own.has(file.path));
    if (foreign !== undefined) return unknown(`${found.server} would change ${foreign.path}, which cannot be changed here: it is ignored`);
    return Promise.all(
      found.files.map(async ({ path: file, text }) => ({
        kind: "write" as const,
        path: file,
        content: text,
        expect: await workspace.files.hash(file),
      })),
    );
  };
  return [
    defineAction({
      name: "definition",
      summary: "Show where a name in a line is defined.",
      effect: "none",
      slow: true,
      schema: spot,
      paths: (args) => [args.path],
      target: at,
      offeredTo,
      async execute(args, context) {
        const found = await servers.locate(lookedAt(context.workspace), "definition", args, context.signal);
        if (found.kind === "unknown") return unknown(found.reason);
        const [first] = await sourcesFirst(found.places, args.name, context, clock);
        if (first === undefined) return unknown(`no definition of ${args.name} is known`);
        const where = `${args.name} is defined in ${[first, ...found.places.filter((one) => one !== first)]
          .slice(0, 5)
          .map((one) => `${said(one.path, PATH_CHARS)}:${one.line}`)
          .join(", ")}`;
        if (path.isAbsolute(first.path))
          return { ok: true, outcome: "elsewhere", summary: `${where}, outside the project`, newsKey: where };
        const shown = await readFileItem(
          { path: first.path, from: Math.max(1, first.line - LINES_BEFORE), to: first.line + LINES_AFTER },
          context,
        );
        return { ...shown, summary: `${where}; ${said(shown.summary, 400)}` };
      },
    }),
    defineAction({
      name: "references",
      summary: "List where a name in a line is used.",
      effect: "none",
      slow: true,
      schema: spot,
      paths: (args) => [args.path],
      target: at,
      offeredTo,
      async execute(args, context) {
        const found = await servers.locate(lookedAt(context.workspace), "references", args, context.signal);
        if (found.kind === "unknown") return unknown(found.reason);
        const files = Map.groupBy(found.places, (one) => one.path);
        const summary = `${args.name}: ${found.places.length} places in ${files.size} files`;
        const lines = (await Promise.all([...files].slice(0, MAX_PLACE_FILES).map((one) => linesOf(...one, said, context)))).flat();
        const rest = found.places.length - Math.min(lines.length, MAX_PLACES);
        const content = [...lines.slice(0, MAX_PLACES), ...(rest > 0 ? [`and ${rest} more`] : [])].join("\n");
        const item = {
          key: `references:${args.name}`,
          kind: "action_result" as const,
          title: `references of ${summary}`,
          content: await context.blobs.put(content),
          pinned: false,
          step: context.step,
        };
        return { ok: true, outcome: "found", summary, effects: [{ op: "put", item }], newsKey: `references:${content}`.slice(0, 300) };
      },
    }),
    defineAction({
      name: "rename",
      summary: "Rename a name in a line, everywhere it is used.",
      effect: "files",
      slow: true,
      schema: spot.extend({ to: z.string().min(1) }),
      paths: (args) => [args.path],
      target: (args) => `${at(args)} → ${args.to}`,
      offeredTo,
      worksOut: renaming,
      async execute(args, context) {
        const wanted = await renaming(args, context);
        return "ok" in wanted ? wanted : applyRequests(wanted, context);
      },
    }),
  ];
}

const STUB = /\.d\.[cm]?ts$|\.pyi$/u;
const SOURCE_ENDINGS = [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".py"];

/** Folders two paths have in common, from the project down. */
function shared(a: string, b: string): number {
  const [x, y] = [a.split("/"), b.split("/")];
  const apart = x.findIndex((part, i) => part !== y[i]);
  return apart === -1 ? x.length : apart;
}

interface FoundPlace {
  path: string;
  line: number;
}

/** A stub only declares: where the source it stands for is in the project, that comes first. */
async function sourcesFirst(
  places: readonly FoundPlace[],
  name: string,
  { workspace, signal }: ActionContext,
  clock: Clock,
): Promise<readonly FoundPlace[]> {
  const stub = places[0];
  if (stub === undefined || !STUB.test(stub.path)) return places;
  const real = places.find((one) => !STUB.test(one.path) && !path.isAbsolute(one.path));
  if (real !== undefined) return [real];
  const bare = path.posix.basename(stub.path).replace(STUB, "");
  const defines = new RegExp(`\\b(?:function\\*?|class|const|let|var|def|interface|type|enum)\\s+${RegExp.escape(name)}\\b`, "u");
  const files = (await listProjectFiles(workspace.root, clock))
    .filter((file) => SOURCE_ENDINGS.some((ending) => path.posix.basename(file) === bare + ending))
    .toSorted((a, b) => shared(b, stub.path) - shared(a, stub.path));
  for (const file of files.slice(0, SHOWN)) {
    const line = ((await workspace.files.source(file, signal)) ?? "").split("\n").findIndex((text) => defines.test(text));
    if (line !== -1) return [{ path: file, line: line + 1 }];
  }
  return places;
}

/** The lines themselves, as far as they may be read. */
async function linesOf(
  file: string,
  places: readonly { line: number }[],
  said: Said,
  { workspace, signal }: ActionContext,
): Promise<string[]> {
  const shown = said(file, PATH_CHARS);
  const numbers = [...new Set(places.map((one) => one.line))].toSorted((a, b) => a - b).slice(0, MAX_PLACES);
  if (path.isAbsolute(file)) return numbers.map((line) => `${shown}:${line}`);
  const from = numbers[0] ?? 1;
  const read = await workspace.files.read({ path: file, fromLine: from, maxLines: (numbers.at(-1) ?? from) - from + 1, signal });
  const texts = new Map(read.kind === "text" ? read.lines.map((line) => [line.number, line.text]) : []);
  return numbers.map((line) => `${shown}:${line}: ${wording.shorten((texts.get(line) ?? "").trim(), 160)}`);
}
