/**
 * What the project's language servers know: the problems an edit brought, where a name is defined and used, what
 * renaming it changes. Absent servers cost nothing; one that hangs costs its deadline and is left behind.
 */
import path from "node:path";
import { fileURLToPath } from "node:url";
import { isAbort, messageOf, must, SylkError, withDeadline } from "../../kernel/index.ts";
import type { z } from "zod";
import { toolDefinitions } from "../discover/discover-tools.ts";
import type { ToolDefinition } from "../discover/types.ts";
import { locationsSchema, workspaceEditSchema } from "./answers.ts";
import { findServers, type FoundServer } from "./find-servers.ts";
import { placeOf, withRenames } from "./name-edits.ts";
import { newProblems, type CodeProblem } from "./new-problems.ts";
import type { ServerConnection } from "./server-connection.ts";
import type { LookingParts } from "../looking-workspace.ts";
import { ServerPool } from "./server-pool.ts";

export interface LanguageServerParts extends LookingParts {
  trusts: (file: string, text: string) => boolean;
  /** How long an edit waits for what the servers say of it. */
  deadlineMs: () => number;
}

/** A project or work tree, and the texts of it that may be given to its programs. */
export interface LookedAt {
  folder: string;
  text(file: string): Promise<string | undefined>;
}

/** A name at a line of a file, as it is shown: lines count from 1. */
export interface Spot {
  path: string;
  line: number;
  name: string;
}

export interface EditReport {
  /** Not there before the edit; errors first. */
  problems: CodeProblem[];
  /** Servers that did not answer in time, or broke, and how. */
  missing: { server: string; why: string }[];
}

type Unknown = { kind: "unknown"; reason: string };
export type Located = { kind: "found"; server: string; places: { path: string; line: number }[] } | Unknown;
export type Renamed = { kind: "renamed"; server: string; files: { path: string; text: string }[] } | Unknown;

export interface LanguageServers {
  /** The endings of these files for which there is a server here. */
  endingsWith(folder: string, files: readonly string[]): string[];
  /** These files are about to be changed: what stands in them now is what their problems are compared with. */
  changing(at: LookedAt, files: readonly string[]): Promise<void>;
  changed(at: LookedAt, files: readonly string[], signal: AbortSignal): Promise<EditReport>;
  locate(at: LookedAt, what: "definition" | "references", spot: Spot, signal: AbortSignal): Promise<Located>;
  rename(at: LookedAt, spot: Spot, to: string, signal: AbortSignal): Promise<Renamed>;
  /** Tries each server these files would be given. */
  try(folder: string, files: readonly string[]): Promise<{ server: string; trouble: string | undefined }[]>;
  close(): Promise<void>;
}

const MAX_CHARS = 1024 * 1024;
const MAX_FILES = 8;
const ASK_MS = 15_000;

const textOf = async (at: LookedAt, file: string): Promise<string | undefined> => {
  const found = await at.text(file);
  return found === undefined || found.length > MAX_CHARS ? undefined : found;
};

export function createLanguageServers(parts: LanguageServerParts): LanguageServers {
  const pool = new ServerPool(parts);
  const tables = new Map<string, ToolDefinition[]>();
  /** What stood in a file before edits whose problems were not told yet. */
  const baselines = new Map<string, string>();

  const serversOf = (folder: string, file: string): FoundServer[] => {
    if (parts.mode() === "off") return [];
    const definitions =
      tables.get(folder) ?? toolDefinitions({ root: folder, trusts: parts.trusts }).filter(({ category }) => category === "lsp");
    tables.set(folder, definitions);
    return findServers({ folder, definitions, searchPath: parts.env["PATH"] ?? "" }, file);
  };

  /** The first that starts of those that know types, and all beside it. */
  const connectionsOf = async (folder: string, file: string): Promise<ServerConnection[]> => {
    const servers = serversOf(folder, file);
    const beside = servers.filter((server) => server.beside).map((server) => pool.get(folder, server));
    return [await firstOf(folder, servers), ...(await Promise.all(beside))].filter((one) => one !== undefined);
  };
  const firstOf = async (folder: string, servers: readonly FoundServer[]): Promise<ServerConnection | undefined> => {
    for (const server of servers) {
      const found = server.beside ? undefined : await pool.get(folder, server);
      if (found !== undefined) return found;
    }
    return undefined;
  };

  const problemsIn = async (at: LookedAt, file: string, files: readonly string[], signal: AbortSignal): Promise<EditReport> => {
    const { folder } = at;
    const absolute = path.resolve(folder, file);
    const was = baselines.get(absolute);
    const now = await textOf(at, file);
    const report: EditReport = { problems: [], missing: [] };
    if (was === undefined) return report;
    const look = async (connection: ServerConnection): Promise<void> => {
      try {
        // All of it first: one file of a change may need another.
        if (file === files[0])
          await connection.tellChanged(
            await Promise.all(files.map(async (one) => ({ file: path.resolve(folder, one), type: await kindOf(at, one) }))),
          );
        if (now === undefined) return;
        const before = was === "" ? [] : await connection.diagnose(absolute, was, signal);
        const after = await connection.diagnose(absolute, now, signal);
        report.problems.push(...newProblems({ path: file, was, now, before, after }));
        if (file !== files.at(-1)) return;
        for (const other of await connection.recheck(
          files.map((one) => path.resolve(folder, one)),
          signal,
        )) {
          const text = (await textOf(at, other.file)) ?? "";
          report.problems.push(...newProblems({ ...other, path: path.relative(folder, other.file), was: text, now: text }));
        }
      } catch (error) {
        if (isAbort(error) || signal.aborted) throw error;
        pool.failed(folder, connection.server, messageOf(error));
        report.missing.push({ server: connection.server.id, why: messageOf(error) });
      }
    };
    const connections = await connectionsOf(folder, file);
    const [first] = serversOf(folder, file);
    if (connections.length === 0 && first !== undefined)
      report.missing.push({ server: first.id, why: pool.trouble(folder, first) ?? "could not be started" });
    await Promise.all(connections.map(look));
    return report;
  };

  /** As the protocol counts them: created, changed, deleted. */
  const kindOf = async (at: LookedAt, file: string): Promise<1 | 2 | 3> =>
    (await textOf(at, file)) === undefined ? 3 : baselines.get(path.resolve(at.folder, file)) === "" ? 1 : 2;

  /** The first server that knows types, with the place of a name. */
  const spotIn = async (
    at: LookedAt,
    { path: file, line, name }: Spot,
  ): Promise<{ connection: ServerConnection; position: object } | Unknown> => {
    const { folder } = at;
    const text = await textOf(at, file);
    if (text === undefined)
      return { kind: "unknown", reason: `${file} cannot be given to a language server: it may not be read, is a link, or is too large` };
    const place = placeOf(text, line, name);
    if (place === undefined) return { kind: "unknown", reason: `${name} does not stand in line ${line} of ${file}` };
    const connection = await firstOf(folder, serversOf(folder, file));
    if (connection === undefined) return { kind: "unknown", reason: `no language server for ${file} could be started` };
    const uri = await connection.show(path.resolve(folder, file), text);
    return { connection, position: { textDocument: { uri }, position: place } };
  };

  const ask = async <T extends z.ZodType>(
    where: LookedAt,
    spot: Spot,
    question: { method: string; more: object; schema: T },
    signal: AbortSignal,
  ): Promise<{ server: string; answer: z.output<T> } | Unknown> => {
    const found = await spotIn(where, spot);
    if ("kind" in found) return found;
    const { connection, position } = found;
    try {
      const answer = await withDeadline({ clock: parts.clock, timeoutMs: ASK_MS, what: connection.server.id, signal }, (stop) =>
        connection.ask(question.method, { ...position, ...question.more }, question.schema, stop),
      );
      return { server: connection.server.id, answer };
    } catch (error) {
      signal.throwIfAborted();
      return { kind: "unknown", reason: messageOf(error) };
    }
  };

  return {
    endingsWith(folder, files) {
      const byEnding = Map.groupBy(files, (file) => path.extname(file).toLowerCase());
      return [...byEnding].filter(([, [first]]) => serversOf(folder, must(first)).some(({ beside }) => !beside)).map(([ending]) => ending);
    },
    async changing(at, files) {
      const { folder } = at;
      for (const file of files.slice(0, MAX_FILES)) {
        const absolute = path.resolve(folder, file);
        if (serversOf(folder, file).length === 0) continue;
        const was = baselines.get(absolute) ?? (await textOf(at, file)) ?? "";
        baselines.set(absolute, was);
        // Started while the edit is written; whether it worked is seen when it is asked.
        void connectionsOf(folder, file).then(
          (all) => Promise.allSettled(was === "" ? [] : all.map((one) => one.show(absolute, was))),
          () => undefined,
        );
      }
    },
    async changed(at, files, signal) {
      const { folder } = at;
      const whole: EditReport = { problems: [], missing: [] };
      const known = files.filter((file) => baselines.has(path.resolve(folder, file))).slice(0, MAX_FILES);
      if (known.length === 0) return whole;
      const timeoutMs = parts.deadlineMs();
      try {
        await withDeadline({ clock: parts.clock, timeoutMs, what: "the language server", signal }, async (stop) => {
          for (const file of known) {
            const { problems, missing } = await problemsIn(at, file, known, stop);
            whole.problems.push(...problems);
            whole.missing.push(...missing);
            baselines.delete(path.resolve(folder, file));
          }
        });
      } catch (error) {
        signal.throwIfAborted();
        if (!SylkError.is(error, "DEADLINE_PASSED")) throw error;
        const server = serversOf(folder, must(known[0]))[0]?.id ?? "the language server";
        whole.missing.push({ server, why: `did not answer within ${timeoutMs / 1000} s` });
      }
      // Several servers may say the same of the same place.
      const places = new Map(whole.problems.map((one) => [`${one.path}:${one.line} ${one.message}`, one]));
      whole.problems = [...places.values()].toSorted((a, b) => (a.severity === b.severity ? 0 : a.severity === "error" ? -1 : 1));
      return whole;
    },
    async locate(at, what, spot, signal) {
      const more = what === "references" ? { context: { includeDeclaration: true } } : {};
      const told = await ask(at, spot, { method: `textDocument/${what}`, more, schema: locationsSchema }, signal);
      if ("kind" in told) return told;
      const places = told.answer.flatMap(({ uri, range }) => {
        const file = fileOf(uri, at.folder);
        return file === undefined ? [] : [{ path: file, line: range.start.line + 1 }];
      });
      return { kind: "found", server: told.server, places };
    },
    async rename(at, spot, to, signal) {
      const told = await ask(at, spot, { method: "textDocument/rename", more: { newName: to }, schema: workspaceEditSchema }, signal);
      if ("kind" in told) return told;
      const files: { path: string; text: string }[] = [];
      for (const [uri, edits] of told.answer) {
        const file = fileOf(uri, at.folder);
        const text = file === undefined || path.isAbsolute(file) ? undefined : await textOf(at, file);
        if (file === undefined || text === undefined)
          return { kind: "unknown", reason: `${told.server} would change ${uri}, which cannot be changed here` };
        const edited = withRenames(text, edits, { from: spot.name, to });
        if (edited === undefined)
          return { kind: "unknown", reason: `${told.server} would write something else than the new name into ${file}; edit it yourself` };
        if (edited !== text) files.push({ path: file, text: edited });
      }
      return files.length === 0
        ? { kind: "unknown", reason: `${told.server} finds nothing to rename there` }
        : { kind: "renamed", server: told.server, files };
    },
    async try(folder, files) {
      const servers = new Map(files.flatMap((file) => serversOf(folder, file)).map((server) => [server.key, server]));
      return Promise.all(
        [...servers.values()].map(async (server) => {
          const works = (await pool.get(folder, server)) !== undefined || (await pool.get(folder, server)) !== undefined;
          return { server: server.id, trouble: works ? undefined : (pool.trouble(folder, server) ?? "it did not start") };
        }),
      );
    },
    close: () => pool.close(),
  };
}

/** Relative to the folder where it lies in it. */
function fileOf(uri: string, folder: string): string | undefined {
  try {
    const file = fileURLToPath(uri);
    // No file of a project has such a name; what is shown of it would be lines of their own.
    if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(file)) return undefined;
    return file.startsWith(`${folder}${path.sep}`) ? path.relative(folder, file) : file;
  } catch {
    return undefined;
  }
}
