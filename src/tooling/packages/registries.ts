/**
 * Where packages are looked up and what the answer means. Which registry it is, only the user says: by a setting, the
 * environment or the file of their own package manager. What a clone brings names no address that is asked.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import type { Described } from "./same-purpose.ts";
import { ECOSYSTEMS, type Ecosystem, type PackageName } from "./package-name.ts";

export interface RegistryParts {
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  /** As the user set them. */
  registries: () => Partial<Record<Ecosystem, string>>;
}

const DEFAULTS: Readonly<Record<Ecosystem, string>> = {
  npm: "https://registry.npmjs.org",
  python: "https://pypi.org/simple",
  rust: "https://crates.io",
  go: "https://proxy.golang.org",
};
const VARIABLES: Readonly<Record<Ecosystem, readonly string[]>> = {
  npm: ["npm_config_registry", "NPM_CONFIG_REGISTRY"],
  python: ["PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL"],
  rust: [],
  go: ["GOPROXY"],
};
const MAX_NPMRC_CHARS = 64 * 1024;

/** The user's own file; `scope` is `@name` or empty. */
function fromNpmrc(home: string, scope: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(path.join(home, ".npmrc"), "utf8").slice(0, MAX_NPMRC_CHARS);
  } catch {
    return undefined;
  }
  const key = scope === "" ? "registry" : `${scope}:registry`;
  const line = text.split("\n").findLast((one) => one.split("=")[0]?.trim() === key);
  return line?.slice(line.indexOf("=") + 1).trim();
}

/** An address without credentials, or nothing: what is put into it is sent. */
function address(text: string | undefined): string | undefined {
  const first = (text ?? "").split(/[,|]/u)[0] ?? "";
  const url = URL.parse(first);
  if (url === null || !/^https?:$/u.test(url.protocol) || url.username !== "" || url.password !== "") return undefined;
  return first.replace(/\/+$/u, "");
}

/** Undefined: the user's is of a kind that cannot be asked. */
export function registryOf({ ecosystem, name }: PackageName, parts: RegistryParts): string | undefined {
  const set = parts.registries()[ecosystem];
  if (set !== undefined) return address(set);
  const scope = ecosystem === "npm" && name.startsWith("@") ? (name.split("/")[0] ?? "") : "";
  const scoped = scope === "" ? undefined : fromNpmrc(parts.home, scope);
  const said = scoped ?? VARIABLES[ecosystem].map((key) => parts.env[key]).find((value) => (value ?? "") !== "");
  const own = said ?? (ecosystem === "npm" ? fromNpmrc(parts.home, "") : undefined);
  return own === undefined ? DEFAULTS[ecosystem] : address(own);
}

/** Hosts the user chose to get packages from: reading there needs no further question. */
export function chosenHosts(parts: RegistryParts): string[] {
  const all = ECOSYSTEMS.flatMap((ecosystem) => registryOf({ ecosystem, name: "" }, parts) ?? []);
  return [...new Set(all)].filter((one) => !Object.values(DEFAULTS).includes(one)).flatMap((one) => URL.parse(one)?.hostname ?? []);
}

/** Whether what the project brings sends its packages elsewhere: then the usual registry knows nothing of them. */
export function namesOwnRegistry({ ecosystem, name }: PackageName, read: (file: string) => string | undefined): boolean {
  const has = (file: string, what: RegExp): boolean => what.test(read(file) ?? "");
  const scope = name.startsWith("@") ? (name.split("/")[0] ?? "") : "";
  switch (ecosystem) {
    case "npm": {
      const key = new RegExp(`^\\s*(?:${scope === "" ? "" : `${scope}:|`})registry\\s*=\\s*(?!https://registry\\.npmjs\\.org)`, "mu");
      return (
        has(".npmrc", key) || has(".yarnrc.yml", /^\s*npmRegistryServer:/mu) || has("bunfig.toml", /^\s*registry\s*=|\[install\.scopes\]/mu)
      );
    }
    case "python":
      return (
        has("pyproject.toml", /^\[\[tool\.(?:uv\.index|poetry\.source|pdm\.source)\]\]/mu) ||
        has("requirements.txt", /^\s*(?:-i|--index-url|--extra-index-url|--find-links)\b/mu) ||
        has("Pipfile", /^\s*url\s*=\s*"(?!https:\/\/pypi\.org)/mu) ||
        has("uv.toml", /^\[\[index\]\]/mu)
      );
    case "rust":
      return has(".cargo/config.toml", /^\s*\[(?:registries|source)\b/mu);
    case "go":
      return false;
  }
}

const UPPER = /[A-Z]/gu;
const goName = (name: string): string => name.replaceAll(UPPER, (letter) => `!${letter.toLowerCase()}`);

/** Addresses to ask one after the other: it is there when one of them knows it. */
export function addressesOf({ ecosystem, name }: PackageName, registry: string): string[] {
  switch (ecosystem) {
    case "npm":
      return [`${registry}/${name.replace("/", "%2f")}/latest`];
    case "python":
      return [registry === DEFAULTS.python ? `https://pypi.org/pypi/${name}/json` : `${registry}/${name}/`];
    case "rust":
      return [`${registry}/api/v1/crates/${name}`];
    case "go": {
      // A package may stand deep inside its module.
      const parts = name.split("/");
      const least = Math.min(parts.length, parts[0] === "github.com" ? 3 : 2);
      const lengths = Array.from({ length: parts.length - least + 1 }, (_v, i) => parts.length - i).slice(0, 4);
      return lengths.map((length) => `${registry}/${goName(parts.slice(0, length).join("/"))}/@latest`);
    }
  }
}

const MAX_SAID = 400;
const described = z.object({
  description: z.string().catch(""),
  keywords: z.union([z.array(z.string()), z.string().transform((text) => text.split(/[\s,]+/u))]).catch([]),
});

/** The answer may be cut, so that it need not be whole JSON. */
export function readDescription(name: string, text: string): Described {
  const field = (key: string): string | undefined => new RegExp(`"${key}"\\s*:\\s*"((?:[^"\\\\]|\\\\.)*)"`, "u").exec(text)?.[1];
  const many = /"keywords"\s*:\s*\[([^\]]*)\]/u.exec(text)?.[1];
  const keywords = many === undefined ? (field("keywords") ?? "") : [...many.matchAll(/"([^"]*)"/gu)].map((match) => match[1]);
  const found = described.parse({ description: field("summary") ?? field("description"), keywords });
  return { name, description: found.description.slice(0, MAX_SAID), keywords: found.keywords.slice(0, 20) };
}
