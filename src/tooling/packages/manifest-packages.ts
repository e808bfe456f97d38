/** The packages a manifest declares. One that cannot be read declares nothing: it is somebody's text, maybe half written. */
import path from "node:path";
import { parse } from "smol-toml";
import { z } from "zod";
import { packageName, samePackage, type Ecosystem, type PackageName } from "./package-name.ts";

const table = z.record(z.string(), z.unknown()).catch({});
const list = z.array(z.unknown()).catch([]);
const at = (value: unknown, ...keys: readonly string[]): unknown => keys.reduce<unknown>((found, key) => table.parse(found)[key], value);

/** `name[extra]>=1; python_version < "3"` */
const requirement = (line: unknown): string | undefined =>
  typeof line === "string" && !line.includes("@") ? /^\s*([\w.-]+)/u.exec(line)?.[1] : undefined;

/** Fetched from elsewhere than the registry: a folder, an address, a workspace, another name. */
function isElsewhere(wanted: unknown): boolean {
  if (typeof wanted === "string") return /^(?:file|link|portal|workspace|npm|git|github|https?|patch|catalog)[+:]|\//u.test(wanted);
  const keys = Object.keys(table.parse(wanted));
  return ["path", "git", "url", "workspace", "registry", "package", "source"].some((key) => keys.includes(key));
}

const fromTable = (value: unknown): string[] => Object.entries(table.parse(value)).flatMap(([name, to]) => (isElsewhere(to) ? [] : [name]));

function fromPackageJson(text: string): string[] {
  const manifest: unknown = JSON.parse(text);
  return ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"].flatMap((key) => fromTable(at(manifest, key)));
}

function fromPyproject(text: string): string[] {
  const manifest: unknown = parse(text);
  const groups = [at(manifest, "project", "optional-dependencies"), at(manifest, "dependency-groups")].flatMap((one) =>
    Object.values(table.parse(one)).flatMap((lines) => list.parse(lines)),
  );
  const poetry = at(manifest, "tool", "poetry");
  const poetryGroups = Object.values(table.parse(at(poetry, "group"))).flatMap((group) => fromTable(at(group, "dependencies")));
  return [
    ...[...list.parse(at(manifest, "project", "dependencies")), ...groups].flatMap((line) => requirement(line) ?? []),
    ...[...fromTable(at(poetry, "dependencies")), ...fromTable(at(poetry, "dev-dependencies")), ...poetryGroups].filter(
      (name) => name !== "python",
    ),
  ];
}

function fromRequirements(text: string): string[] {
  return text.split("\n").flatMap((line) => (/^\s*(?:#|-|$)/u.test(line) ? [] : (requirement(line.replace(/\s#.*$/u, "")) ?? [])));
}

function fromCargo(text: string): string[] {
  const manifest: unknown = parse(text);
  const kinds = ["dependencies", "dev-dependencies", "build-dependencies"];
  const targets = Object.values(table.parse(at(manifest, "target")));
  return [manifest, at(manifest, "workspace"), ...targets].flatMap((one) => kinds.flatMap((kind) => fromTable(at(one, kind))));
}

function fromGoMod(text: string): string[] {
  const replaced = new Set([...text.matchAll(/^\s*(?:replace\s+)?(\S+)(?:\s+v\S+)?\s+=>/gmu)].map((match) => match[1]));
  const required = [...text.matchAll(/^\s*(?:require\s+)?([\w.~/-]+\.[\w.~/-]+)\s+v\d\S*(?!.*=>)/gmu)].flatMap((match) => match[1] ?? []);
  return required.filter((name) => !replaced.has(name));
}

const MANIFESTS: readonly { files: RegExp; ecosystem: Ecosystem; read: (text: string) => string[] }[] = [
  { files: /^package\.json$/u, ecosystem: "npm", read: fromPackageJson },
  { files: /^pyproject\.toml$/u, ecosystem: "python", read: fromPyproject },
  { files: /^requirements[\w.-]*\.(?:txt|in)$/u, ecosystem: "python", read: fromRequirements },
  { files: /^Cargo\.toml$/u, ecosystem: "rust", read: fromCargo },
  { files: /^go\.mod$/u, ecosystem: "go", read: fromGoMod },
];

/** Manifests of a folder whose packages count as its own. */
export const OWN_MANIFESTS: readonly string[] = [
  "package.json",
  "pyproject.toml",
  "requirements.txt",
  "requirements-dev.txt",
  "Cargo.toml",
  "go.mod",
];

export function packagesIn(file: string, text: string): PackageName[] {
  const name = path.posix.basename(file);
  const manifest = MANIFESTS.find(({ files }) => files.test(name));
  if (manifest === undefined || /(?:^|\/)node_modules\//u.test(file)) return [];
  try {
    return manifest.read(text).flatMap((one) => packageName(manifest.ecosystem, one) ?? []);
  } catch {
    // Half written or broken: whoever reads it next says so.
    return [];
  }
}

export function addedTo(file: string, before: string, after: string): PackageName[] {
  const known = packagesIn(file, before);
  return packagesIn(file, after).filter((one) => !known.some((old) => samePackage(old, one)));
}
