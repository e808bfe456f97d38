/** What can be read off a project's files, by the kind of fact a role wants (GTR-003). No model, no guessing. */
import path from "node:path";
import { yieldToLoop, sha256, must, projectFile } from "../../kernel/index.ts";
import type { RoleSpec } from "../../protocol/index.ts";
import type { MemoryConfig } from "../sidecar/memory-config.ts";
import type { Fact } from "../sidecar/ground-truth.ts";
import { linesOf } from "../../code/lines/index.ts";

type FactKind = RoleSpec["facts"][number];

/** One thing to look at: which files belong to it, and what they say. */
interface Topic {
  source: string;
  files: string[];
  read: () => Fact | undefined;
}

const OWN = /(^|\/)(\.sylk|\.git|node_modules|build|dist|\.claude|\.gemini|\.codex|\.opencode|\.cursor|\.qwen|\.agents|\.github\/skills)\//;
const LOCKS =
  /(^|\/)(package-lock\.json|yarn\.lock|pnpm-lock\.yaml|Cargo\.lock|poetry\.lock|uv\.lock|go\.sum|Gemfile\.lock|composer\.lock|bun\.lockb?)$/;
const SOURCE = /\.(ts|tsx|js|jsx|mjs|cjs|py|go|rs|java|kt|rb|php|c|cc|cpp|h|hpp|cs|swift|scala|sh|sql|vue|svelte)$/;
const TEST = /(\.|_)(test|spec)\.[^/]+$|(^|\/)(tests?|__tests__)\/[^/]+$|_test\.go$|(^|\/)test_[^/]+\.py$/;
const MANIFEST = /(^|\/)(package\.json|pyproject\.toml|Cargo\.toml|go\.mod|pom\.xml|build\.gradle|composer\.json|Gemfile)$/;
const CONFIG = /^[^/]*(\.config\.[cm]?[jt]s|rc(\.json|\.ya?ml)?|\.toml|\.ya?ml|tsconfig[^/]*\.json|Makefile|Dockerfile)$/;

function isExcluded(file: string, config: MemoryConfig): boolean {
  return OWN.test(`/${file}`) || LOCKS.test(file) || config.exclude.some((glob) => path.matchesGlob(file, glob));
}

function byFolder(files: readonly string[], category: Fact["category"], noun: string): Topic[] {
  const groups = new Map<string, string[]>();
  for (const file of files) {
    const key = `${path.posix.dirname(file)}|${path.posix.extname(file).slice(1)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [file]);
    else group.push(file);
  }
  return [...groups].map(([key, members]) => {
    const [folder = ".", ext = ""] = key.split("|");
    const source = `${folder === "." ? "" : `${folder}/`}*.${ext}${noun === "test" ? " (tests)" : ""}`;
    const names = members.length <= 8 ? `: ${members.map((file) => path.posix.basename(file)).join(", ")}` : "";
    return {
      source,
      files: members,
      read: () => ({
        category,
        source,
        statement: `${members.length} ${ext} ${noun} file${members.length === 1 ? "" : "s"} in ${folder}${names}`,
      }),
    };
  });
}

function single(
  root: string,
  files: readonly string[],
  category: Fact["category"],
  describe: (content: string, file: string) => string,
): Topic[] {
  return files.map((file) => ({
    source: file,
    files: [file],
    read: () => {
      const content = projectFile.text(root, file);
      return content === undefined ? undefined : { category, source: file, statement: describe(content, file) };
    },
  }));
}

const title = (content: string, file: string): string => {
  const heading = /^#\s+(.+)$/m.exec(content)?.[1] ?? path.posix.basename(file);
  const status = /^(?:\*\*)?status(?:\*\*)?:\s*(.+)$/im.exec(content)?.[1];
  return `${file}: “${heading.trim()}”${status === undefined ? "" : `, status ${status.trim()}`}, sha256 ${sha256(content).slice(0, 12)}`;
};

function sizeOf(content: string, file: string): string {
  const lines = linesOf(content).length;
  return `${file}: ${lines} ${lines === 1 ? "line" : "lines"}, sha256 ${sha256(content).slice(0, 12)}`;
}

function manifest(content: string, file: string): string {
  if (!file.endsWith(".json")) return sizeOf(content, file);
  try {
    const parsed = JSON.parse(content) as Record<string, unknown>;
    const count = (key: string): number => (typeof parsed[key] === "object" && parsed[key] !== null ? Object.keys(parsed[key]).length : 0);
    const scripts = typeof parsed["scripts"] === "object" && parsed["scripts"] !== null ? Object.keys(parsed["scripts"]) : [];
    const version = typeof parsed["version"] === "string" ? parsed["version"] : "none";
    return `${file}: version ${version}, ${count("dependencies")} dependencies, ${count("devDependencies")} development dependencies, scripts ${scripts.join(", ") || "none"}`;
  } catch {
    return `${file}: not valid JSON`;
  }
}

/** Links a document makes to others, so that a moved one is noticed. */
function links(content: string, file: string): string {
  const to = [...new Set([...content.matchAll(/\]\((?!https?:|#)([^)\s#]+\.md)/g)].map((match) => match[1]))];
  return `${title(content, file)}${to.length === 0 ? "" : `, refers to ${to.slice(0, 10).join(", ")}`}`;
}

function folders(files: readonly string[]): Topic[] {
  const children = new Map<string, Set<string>>();
  for (const file of files) {
    const parts = file.split("/");
    for (let depth = 0; depth < Math.min(parts.length - 1, 3); depth += 1) {
      const folder = parts.slice(0, depth).join("/") || ".";
      children.set(folder, (children.get(folder) ?? new Set()).add(must(parts[depth])));
    }
  }
  return [...children].map(([folder, inside]) => {
    const source = folder === "." ? "./" : `${folder}/`;
    const names = [...inside].toSorted();
    const shown = names.length > 30 ? `${names.slice(0, 30).join(", ")} and ${names.length - 30} more` : names.join(", ");
    return {
      source,
      files: files.filter((file) => folder === "." || file.startsWith(`${folder}/`)),
      read: () => ({ category: "structural-pattern", source, statement: `${folder} holds the folders ${shown}` }),
    };
  });
}

function topicsOf(target: FactKind, root: string, files: readonly string[], config: MemoryConfig): Topic[] {
  const matching = (globs: readonly string[]): string[] => files.filter((file) => globs.some((glob) => path.matchesGlob(file, glob)));
  switch (target) {
    case "source":
      return byFolder(
        files.filter((file) => SOURCE.test(file) && !TEST.test(file)),
        "file-inventory",
        "source",
      );
    case "tests":
      return byFolder(
        files.filter((file) => SOURCE.test(file) && TEST.test(file)),
        "structural-pattern",
        "test",
      );
    case "configs":
      return single(
        root,
        files.filter((file) => CONFIG.test(file)),
        "file-inventory",
        sizeOf,
      );
    case "manifests":
      return single(
        root,
        files.filter((file) => MANIFEST.test(file)),
        "variable-inventory",
        manifest,
      );
    case "planning":
      return single(root, matching(config.planning_globs), "file-inventory", title);
    case "implementation":
      return single(root, matching(config.implementation_globs), "file-inventory", title);
    case "architecture":
      return single(root, matching(config.architecture_globs), "cross-reference", links);
    case "structure":
      return folders(files);
  }
}

export interface ScanRequest {
  root: string;
  files: readonly string[];
  targets: readonly FactKind[];
  config: MemoryConfig;
  /** Only topics one of these files belongs to; undefined: all. */
  changed: ReadonlySet<string> | undefined;
  onTarget: (target: FactKind, facts: number) => void;
  signal: AbortSignal;
}

export async function scanProject(request: ScanRequest): Promise<Fact[]> {
  const { changed, config } = request;
  const files = request.files.filter((file) => !isExcluded(file, config));
  const facts: Fact[] = [];
  for (const target of request.targets) {
    let found = 0;
    for (const topic of topicsOf(target, request.root, files, config)) {
      if (changed !== undefined && !topic.files.some((file) => changed.has(file))) continue;
      const fact = topic.read();
      if (fact === undefined) continue;
      facts.push(fact);
      found += 1;
      if (found % 200 === 0) await yieldToLoop();
    }
    request.signal.throwIfAborted();
    request.onTarget(target, found);
    await yieldToLoop();
  }
  return facts;
}
