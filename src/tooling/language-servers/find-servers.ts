/**
 * Which language servers there are for a file: looked for on the disk, nothing is started. A project must say by a
 * file of its own that it is of that language; a program on the search path alone means nothing.
 */
import { existsSync } from "node:fs";
import path from "node:path";
import { languageOf } from "../../code/index.ts";
import { readProjectFacts, type ProjectFacts } from "../discover/project-facts.ts";
import type { ToolDefinition } from "../discover/types.ts";

export interface FoundServer {
  id: string;
  /** One per server and folder is started, however many files ask. */
  key: string;
  /** Absolute. */
  root: string;
  command: string[];
  languageId: string;
  beside: boolean;
  initOptions: ToolDefinition["initOptions"];
}

export interface ServerPlace {
  /** The project, or a work tree. */
  folder: string;
  searchPath: string;
  definitions: readonly ToolDefinition[];
}

const extensionOf = (file: string): string => path.extname(file).toLowerCase();

function markersOf(definition: ToolDefinition): string[] {
  return [...definition.configs, ...definition.native, ...definition.roots];
}

/** The nearest folder above the file that says it is for this server. */
function rootFor(
  definition: ToolDefinition,
  file: string,
  { folder }: ServerPlace,
  factsAt: (dir: string) => ProjectFacts,
): string | undefined {
  const markers = markersOf(definition);
  for (let dir = path.dirname(path.resolve(folder, file)); ; dir = path.dirname(dir)) {
    if (markers.some((name) => existsSync(path.join(dir, name)))) return dir;
    if (definition.sections.some((section) => factsAt(dir).hasSection(section))) return dir;
    if (definition.packages.some((name) => factsAt(dir).dependency(name) !== undefined)) return dir;
    if (dir === folder || !dir.startsWith(`${folder}${path.sep}`)) return undefined;
  }
}

/** In the order in which they are tried: one that knows types, and those beside it. */
export function findServers(place: ServerPlace, file: string): FoundServer[] {
  const extension = extensionOf(file);
  const known = new Map<string, ProjectFacts>();
  const factsAt = (dir: string): ProjectFacts => {
    const facts = known.get(dir) ?? readProjectFacts(dir, place.searchPath, place.folder);
    known.set(dir, facts);
    return facts;
  };
  return place.definitions
    .filter(({ category, extensions, run }) => category === "lsp" && run !== undefined && extensions.includes(extension))
    .toSorted((a, b) => Number(a.beside) - Number(b.beside) || b.priority - a.priority)
    .flatMap((definition): FoundServer[] => {
      const root = rootFor(definition, file, place, factsAt);
      if (root === undefined) return [];
      const binary = definition.binaries.map((name) => factsAt(root).binary(name)).find((found) => found !== undefined);
      if (binary === undefined) return [];
      const [, ...args] = definition.run ?? [];
      return [
        {
          id: definition.id,
          key: `${definition.id}:${root}`,
          root,
          command: [binary.includes("/") ? path.resolve(root, binary) : binary, ...args],
          languageId: definition.languageIds[extension] ?? languageOf(extension)?.id ?? "plaintext",
          beside: definition.beside,
          initOptions: definition.initOptions,
        },
      ];
    });
}
