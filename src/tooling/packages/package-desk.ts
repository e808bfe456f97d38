/**
 * What should be known of a package before it is added: whether its registry has it, which name was probably meant,
 * and what the project already has for the same purpose. A registry that does not answer holds nobody up.
 */
import { projectFile, type Clock } from "../../kernel/index.ts";
import type { Workspace } from "../../workspace/index.ts";
import { addedByCommand } from "./command-packages.ts";
import { addedTo, OWN_MANIFESTS, packagesIn } from "./manifest-packages.ts";
import { isWellKnown, nearNames } from "./near-names.ts";
import { packageName, samePackage, type PackageName } from "./package-name.ts";
import { addressesOf, chosenHosts, namesOwnRegistry, readDescription, registryOf, type RegistryParts } from "./registries.ts";
import { samePurpose, type Described } from "./same-purpose.ts";

export type { PackageName } from "./package-name.ts";

export type PackageFinding =
  /** Nothing speaks against it. */
  | { kind: "fine" }
  | { kind: "absent"; registry: string; near: readonly string[] }
  | { kind: "unknown"; why: string }
  /** It is there, but something is there already, or it is easily mistaken for something else. */
  | { kind: "doubtful"; near: readonly string[]; instead: { name: string; why: string } | undefined };

export interface PackageDesk {
  addedBy(command: string): PackageName[];
  addedTo(file: string, before: string, after: string): PackageName[];
  look(wanted: PackageName, workspace: Pick<Workspace, "root" | "web">, signal: AbortSignal): Promise<PackageFinding>;
  /** Hosts the user chose for their packages. */
  hosts(): readonly string[];
}

export interface PackageParts extends RegistryParts {
  clock: Clock;
  /** Registries may be asked at all. */
  asks: () => boolean;
  timeoutMs: () => number;
}

type Answer = { kind: "there"; said: Described } | { kind: "absent"; registry: string } | { kind: "unknown"; why: string };

const MAX_ANSWER_BYTES = 128 * 1024;
const REMEMBERED = 500;
/** What a registry said holds for this long; that it said nothing, for less. */
const KEPT_MS = 30 * 60_000;
const SILENT_MS = 60_000;
const MAX_OWN = 80;
/** A name is probably a slip within this many letters. */
const SLIPS = { absent: 2, there: 1 };

export function createPackages(parts: PackageParts): PackageDesk {
  const answers = new Map<string, { answer: Answer; untilMs: number }>();
  const ask = async (wanted: PackageName, { web }: Pick<Workspace, "web">, signal: AbortSignal): Promise<Answer> => {
    const registry = registryOf(wanted, parts);
    if (registry === undefined) return { kind: "unknown", why: "your registry cannot be asked without credentials or a program" };
    const host = URL.parse(registry)?.host ?? registry;
    for (const url of addressesOf(wanted, registry)) {
      const got = await web.get({ url, maxBytes: MAX_ANSWER_BYTES, timeoutMs: parts.timeoutMs(), signal });
      if (got.kind === "refused") return { kind: "unknown", why: `${host} may not be asked here` };
      if (got.kind === "unreachable") return { kind: "unknown", why: `${host} does not answer` };
      if (got.status === 200) return { kind: "there", said: readDescription(wanted.name, got.text) };
      if (got.status !== 404 && got.status !== 410) return { kind: "unknown", why: `${host} answered ${got.status}` };
    }
    // A registry says of a private package what it says of none.
    if (wanted.name.startsWith("@")) return { kind: "unknown", why: `${host} shows none to somebody without an account` };
    return { kind: "absent", registry: host };
  };
  const remembered = async (wanted: PackageName, workspace: Pick<Workspace, "web">, signal: AbortSignal): Promise<Answer> => {
    const key = `${wanted.ecosystem} ${wanted.name} ${registryOf(wanted, parts) ?? ""}`;
    const now = parts.clock.now();
    const known = answers.get(key);
    if (known !== undefined && known.untilMs > now) return known.answer;
    const answer = await ask(wanted, workspace, signal);
    if (answers.size >= REMEMBERED) answers.clear();
    answers.set(key, { answer, untilMs: now + (answer.kind === "unknown" ? SILENT_MS : KEPT_MS) });
    return answer;
  };
  return {
    addedBy: addedByCommand,
    addedTo,
    hosts: () => chosenHosts(parts),
    async look(wanted, workspace, signal) {
      const own = ownPackages(workspace.root, wanted);
      // Declared already: it is only brought here.
      if (own.some(({ name }) => name === wanted.name)) return { kind: "fine" };
      const names = own.map(({ name }) => name);
      const ownRegistry = namesOwnRegistry(wanted, (file) => projectFile.text(workspace.root, file));
      const answer: Answer = !parts.asks()
        ? { kind: "unknown", why: "asking registries is switched off" }
        : ownRegistry
          ? { kind: "unknown", why: "the project names a registry of its own" }
          : await remembered(wanted, workspace, signal);
      if (answer.kind === "absent") return { ...answer, near: nearNames(wanted.ecosystem, wanted.name, names, SLIPS.absent) };
      const said = answer.kind === "there" ? answer.said : { name: wanted.name, description: "", keywords: [] };
      const instead = samePurpose(wanted.ecosystem, said, own);
      const near = isWellKnown(wanted.ecosystem, wanted.name) ? [] : nearNames(wanted.ecosystem, wanted.name, names, SLIPS.there);
      if (instead !== undefined || near.length > 0) return { kind: "doubtful", near, instead };
      return answer.kind === "unknown" ? answer : { kind: "fine" };
    },
  };
}

/** What the project declares in this ecosystem, with what installed ones say of themselves. */
function ownPackages(root: string, { ecosystem }: PackageName): Described[] {
  const declared: PackageName[] = [];
  for (const file of OWN_MANIFESTS)
    for (const one of packagesIn(file, projectFile.text(root, file) ?? ""))
      if (one.ecosystem === ecosystem && !declared.some((old) => samePackage(old, one))) declared.push(one);
  return declared.slice(0, MAX_OWN).map(({ name }) => {
    const manifest = ecosystem === "npm" ? projectFile.text(root, `node_modules/${name}/package.json`) : undefined;
    return readDescription(packageName(ecosystem, name)?.name ?? name, manifest ?? "");
  });
}
