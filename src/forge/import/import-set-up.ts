/**
 * Brings what other tools were told along: first what would be written where, and what not and why; then, on the
 * user's word, exactly that. Nothing that exists is changed, no secret gets into a project or a message, and what
 * goes into a project waits there for the user's trust like everything else a project brings.
 */
import { existsSync, lstatSync, realpathSync } from "node:fs";
import path from "node:path";
import { canonicalJson, messageOf, sha256, SylkError, projectFile, writeFileAtomic, type Clock } from "../../kernel/index.ts";
import type { Redactor } from "../../guard/index.ts";
import type { McpApi } from "../../tooling/index.ts";
import { ignoredAmong } from "../../workspace/index.ts";
import { collectThings } from "./collect-things.ts";
import { withoutSecrets } from "./server-secrets.ts";
import { Source } from "./source.ts";
import type { Executable, Files, ImportTool, Reach, Scope, Target, Thing, ThingKind } from "./things.ts";
import { PROJECT_PLACES, READ_HERE, userPlaces } from "./tool-places.ts";

export interface ImportRequest {
  tool: ImportTool;
  /** In place of the project's folder or, for the user's own, of the home folder. */
  from?: string | undefined;
  /** Both when absent. */
  scope?: Scope | undefined;
}

export interface ImportItem {
  kind: ThingKind;
  name: string;
  scope: Scope;
  from: string;
  /** Null: nothing is written. */
  to: string | null;
  /** new: would be written; there: is so already; clash: something else has its place; used: read here as it is. */
  state: "new" | "there" | "clash" | "used" | "left_out";
  why?: string | undefined;
  /** Variables to set before it works. */
  set: string[];
}

export interface ImportPlan {
  tool: ImportTool;
  /** Of what would be written: what is carried out is what was shown. */
  digest: string;
  items: ImportItem[];
}

export interface ImportApi {
  plan(request: ImportRequest): Promise<ImportPlan>;
  apply(request: ImportRequest & { digest: string }): Promise<ImportPlan & { written: string[] }>;
}

export interface ImportParts {
  projectDir: string;
  configDir: string;
  home: string;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  redactor: Redactor;
  hooks: () => Readonly<Record<string, unknown>>;
  setHooks: (hooks: string) => { file: string };
  servers: Pick<McpApi, "add" | "standing">;
}

type Write =
  | { how: "files"; target: Target; files: Files; executable: Executable }
  | { how: "server"; scope: Scope; name: string; reach: Reach }
  | { how: "hooks"; text: string };

interface Settled {
  item: ImportItem;
  write: Write | undefined;
}

const SHARED_HOOKS = ".sylk/hooks.json";

const real = (folder: string): string => (existsSync(folder) ? realpathSync(folder) : folder);

/** The first part of the way to a file that is a link: what is written there would be written elsewhere. */
function linkOnTheWay(root: string, file: string): string | undefined {
  let way = "";
  for (const part of file.split("/")) {
    way = path.join(way, part);
    const at = lstatSync(path.join(root, way), { throwIfNoEntry: false });
    if (at?.isSymbolicLink() === true) return way;
    if (at?.isDirectory() !== true) return undefined;
  }
  return undefined;
}

type IsIgnored = (root: string, file: string) => boolean;

class Importer {
  readonly #parts: ImportParts;
  readonly #isIgnored: IsIgnored;
  readonly #taken = new Set<string>();

  constructor(parts: ImportParts, isIgnored: IsIgnored) {
    this.#parts = parts;
    this.#isIgnored = isIgnored;
  }

  settle({ tool, from, scope }: ImportRequest): Settled[] {
    const { projectDir, home, env } = this.#parts;
    const scopes: Scope[] = scope === undefined ? (from === undefined ? ["user", "project"] : ["project"]) : [scope];
    return scopes
      .filter((one) => one === "user" || scope === "project" || real(projectDir) !== real(home))
      .flatMap((one) => {
        const root = from === undefined ? (one === "user" ? home : projectDir) : path.resolve(projectDir, from);
        const places = one === "user" ? userPlaces(tool, from === undefined ? env : {}) : PROJECT_PLACES[tool];
        const source = this.#source(one, root);
        return collectThings({ source, places, projectDir, isReadHere: (file) => this.#isReadHere(source, file) });
      })
      .map((thing) => this.#settled(thing));
  }

  /** A tool's folder that the user moved is named by its whole path. */
  #source(scope: Scope, root: string): Source {
    const { home, projectDir } = this.#parts;
    const shown = (file: string): string => {
      const full = path.resolve(root, file);
      if (root === projectDir) return file;
      const below = path.relative(home, full);
      return below.startsWith("..") ? full : path.join("~", below);
    };
    return new Source({ scope, root, shown, isIgnored: (file) => this.#isIgnored(root, file) });
  }

  #isReadHere({ scope, root }: Source, file: string): boolean {
    const { home, projectDir } = this.#parts;
    const at = path.resolve(root, file);
    const read = (folder: string, names: readonly string[]): boolean => names.some((name) => path.join(folder, name) === at);
    if (scope === "user") return read(home, READ_HERE.home);
    // Where neither of the others is, this one is read.
    if (at === path.join(projectDir, "GEMINI.md"))
      return !["AGENTS.md", "CLAUDE.md"].some((name) => existsSync(path.join(projectDir, name)));
    return read(projectDir, READ_HERE.project);
  }

  #settled(thing: Thing): Settled {
    const { kind, name, scope, from, brings, note } = thing;
    const item: ImportItem = { kind, name, scope, from, to: null, state: "left_out", why: note, set: [] };
    switch (brings.how) {
      case "used":
        return { item: { ...item, state: "used" }, write: undefined };
      case "left":
        return { item: { ...item, why: brings.why }, write: undefined };
      case "server":
        return this.#server(item, brings);
      case "hooks":
        return this.#hooks(item, brings.hooks);
      case "file":
        return this.#files(item, brings.to, new Map([["", Buffer.from(brings.text)]]));
      case "folder":
        return this.#files(item, brings.to, brings.files, brings.executable);
    }
  }

  #root({ root }: Target): string {
    const { configDir, home, projectDir } = this.#parts;
    return { config: configDir, home, project: projectDir }[root];
  }

  /** In a project, which others get, whatever may be one counts. */
  #holdsSecret(scope: Scope, text: string): boolean {
    return this.#parts.redactor.find(text).some(({ certain }) => certain || scope === "project");
  }

  /** Whose place it would take in this very import. */
  #isTaken(place: string): boolean {
    const taken = this.#taken.has(place);
    this.#taken.add(place);
    return taken;
  }

  #files(item: ImportItem, target: Target, files: Files, executable: Executable = new Set()): Settled {
    const root = this.#root(target);
    const full = path.join(root, target.file);
    const planned = { ...item, to: target.root === "project" ? target.file : full };
    const refused = (state: ImportItem["state"], why: string): Settled => ({ item: { ...planned, state, why }, write: undefined });
    const inGit = (file: string): boolean => file.toLowerCase().split("/").includes(".git");
    if (inGit(target.file) || [...files.keys()].some(inGit)) return refused("left_out", "nothing is written into a git folder");
    const secret = [...files].find(([, bytes]) => this.#holdsSecret(item.scope, Buffer.from(bytes).toString("utf8")));
    if (secret !== undefined)
      return {
        ...refused("left_out", `${secret[0] === "" ? "it" : secret[0]} holds something that looks like a secret`),
        write: undefined,
      };
    const now = [...files].map(([name, bytes]) => {
      const found = projectFile.read(root, path.join(target.file, name));
      return found.kind === "read" ? Buffer.compare(found.bytes, bytes) === 0 : found.kind === "none" ? undefined : false;
    });
    if (now.every((same) => same === true)) return { item: { ...planned, state: "there" }, write: undefined };
    if (now.some((same) => same !== undefined) || existsSync(full)) return refused("clash", this.#clash(item, planned.to));
    const link = target.root === "project" ? linkOnTheWay(root, target.file) : undefined;
    if (link !== undefined) return refused("clash", `${link} is a link, and nothing is written through links`);
    if (this.#isTaken(full)) return refused("clash", "another one of this import has its place");
    return { item: { ...planned, state: "new" }, write: { how: "files", target, files, executable } };
  }

  #clash({ kind, scope, from }: ImportItem, to: string): string {
    return kind === "rules" && scope === "project" && !from.includes(",") && !path.isAbsolute(from) && !from.startsWith("~")
      ? `${to} is there already; a line @${path.relative(path.dirname(to), from)} in it takes this in`
      : `${to} is there already, and says something else`;
  }

  #server(item: ImportItem, given: { reach: Reach; raw: Reach }): Settled {
    const { scope, name } = item;
    const shared = scope === "user" ? { reach: given.reach, set: [] } : withoutSecrets(name, given, this.#parts.redactor);
    if ("why" in shared) return { item: { ...item, why: shared.why }, write: undefined };
    const { file, standing } = this.#parts.servers.standing(name, shared.reach, scope);
    const to = scope === "project" ? path.relative(this.#parts.projectDir, file) : file;
    const planned = { ...item, to, set: shared.set };
    if (standing === "same") return { item: { ...planned, state: "there" }, write: undefined };
    const clash = (why: string): Settled => ({ item: { ...planned, state: "clash", why }, write: undefined });
    if (standing === "other") return clash(`${to} has another server of this name`);
    if (this.#isTaken(`${file}#${name}`)) return clash("another one of this import has this name");
    return { item: { ...planned, state: "new" }, write: { how: "server", scope, name, reach: shared.reach } };
  }

  #hooks(item: ImportItem, hooks: Readonly<Record<string, unknown>>): Settled {
    const text = JSON.stringify(hooks);
    if (this.#holdsSecret(item.scope, text))
      return { item: { ...item, why: "it holds something that looks like a secret" }, write: undefined };
    if (item.scope === "project")
      return this.#files(
        item,
        { root: "project", file: SHARED_HOOKS },
        new Map([["", Buffer.from(`${JSON.stringify({ hooks }, undefined, 2)}\n`)]]),
      );
    const now = this.#parts.hooks();
    const planned = { ...item, to: path.join(this.#parts.configDir, "config.yaml") };
    if (canonicalJson(JSON.parse(JSON.stringify(now))) === canonicalJson(JSON.parse(text)))
      return { item: { ...planned, state: "there" }, write: undefined };
    if (Object.keys(now).length > 0)
      return { item: { ...planned, state: "clash", why: "you have hooks already; add these by hand" }, write: undefined };
    return { item: { ...planned, state: "new" }, write: { how: "hooks", text } };
  }

  /** Each file as it is written: one that fails does not hide those before it. */
  *carryOut(write: Write): Generator<string> {
    if (write.how === "hooks") return yield this.#parts.setHooks(write.text).file;
    if (write.how === "server") return yield this.#parts.servers.add(write.name, write.reach, write.scope).file;
    const root = this.#root(write.target);
    for (const [name, bytes] of write.files) {
      const file = path.join(write.target.file, name);
      const mayRun = write.executable.has(name);
      if (write.target.root === "config") writeFileAtomic(path.join(root, file), bytes, { mode: mayRun ? 0o700 : 0o600 });
      else projectFile.write(root, file, bytes, mayRun ? { mode: 0o755 } : {});
      yield path.join(root, file);
    }
  }
}

function digestOf(settled: readonly Settled[]): string {
  return sha256(
    settled
      .flatMap(({ item, write }) => {
        if (write === undefined) return [];
        const text =
          write.how === "files"
            ? [...write.files].map(
                ([name, bytes]) => `${name}:${write.executable.has(name) ? "x:" : ""}${sha256(Buffer.from(bytes).toString("base64"))}`,
              )
            : [JSON.stringify(write)];
        return [`${item.kind} ${item.to ?? ""} ${item.name}`, ...text];
      })
      .join("\n"),
  );
}

/** First to see which files it is about, then without those that git ignores. */
async function settle(parts: ImportParts, request: ImportRequest): Promise<{ importer: Importer; settled: Settled[] }> {
  const read = new Map<string, Set<string>>();
  new Importer(parts, (root, file) => {
    read.set(root, (read.get(root) ?? new Set()).add(file));
    return false;
  }).settle(request);
  const ignored = new Map<string, ReadonlySet<string>>();
  for (const [root, files] of read) ignored.set(root, await ignoredAmong(root, [...files], parts.clock));
  const importer = new Importer(parts, (root, file) => ignored.get(root)?.has(file) === true);
  return { importer, settled: importer.settle(request) };
}

/** Whatever is in the way of one stops none of the others; in the end it is told what was written and what not. */
function carryOutAll(importer: Importer, settled: readonly Settled[]): string[] {
  const written = new Set<string>();
  const failed: { to: string; error: unknown }[] = [];
  for (const { item, write } of settled) {
    if (write === undefined) continue;
    try {
      for (const file of importer.carryOut(write)) written.add(file);
    } catch (error) {
      failed.push({ to: item.to ?? item.name, error });
    }
  }
  const [first] = failed;
  if (first === undefined) return [...written];
  throw new SylkError({
    code: "IMPORT_INCOMPLETE",
    tier: "user_fixable",
    message: [
      "not everything could be written",
      ...failed.map(({ to, error }) => `not written  ${to}: ${messageOf(error)}`),
      ...[...written].map((file) => `written  ${file}`),
    ].join("\n"),
    fix: "take away what is in the way and import again; what is written already stays",
    cause: first.error,
  });
}

export function createImport(parts: ImportParts): ImportApi {
  return {
    async plan(request) {
      const { settled } = await settle(parts, request);
      return { tool: request.tool, digest: digestOf(settled), items: settled.map(({ item }) => item) };
    },
    async apply({ digest, ...request }) {
      const { importer, settled } = await settle(parts, request);
      if (digestOf(settled) !== digest)
        throw new SylkError({
          code: "IMPORT_CHANGED",
          tier: "user_fixable",
          message: "what would be written is not what was shown any more; nothing was written",
          fix: `\`sylk import ${request.tool}\` shows it again`,
        });
      return { tool: request.tool, digest, items: settled.map(({ item }) => item), written: carryOutAll(importer, settled) };
    },
  };
}
