/** A package by its registry's name, and where what was written is no registry's name at all. */
export const ECOSYSTEMS = ["npm", "python", "rust", "go"] as const;
export type Ecosystem = (typeof ECOSYSTEMS)[number];

export interface PackageName {
  ecosystem: Ecosystem;
  name: string;
}

const SHAPES: Readonly<Record<Ecosystem, RegExp>> = {
  npm: /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/iu,
  python: /^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/iu,
  rust: /^[a-z][a-z0-9_-]*$/iu,
  go: /^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?:\/[\w.~-]+)*$/iu,
};
const MAX_CHARS = 214;

/** Undefined for what is fetched from elsewhere: a folder, an address, a repository. */
export function packageName(ecosystem: Ecosystem, name: string): PackageName | undefined {
  if (name.length > MAX_CHARS || !SHAPES[ecosystem].test(name)) return undefined;
  return { ecosystem, name: ecosystem === "python" ? name.toLowerCase().replaceAll(/[-_.]+/gu, "-") : name };
}

export const samePackage = (a: PackageName, b: PackageName): boolean => a.ecosystem === b.ecosystem && a.name === b.name;
