/**
 * Settings of package managers, which may name shells, programs and what node loads. Taken in whole; one with a key
 * that is not known to be harmless cannot be followed.
 */
import path from "node:path";
import { parse as parseToml } from "smol-toml";
import { parse as parseYaml } from "yaml";
import { projectFile } from "../../kernel/index.ts";
import type { Behind } from "./behind.ts";

const NPM =
  /^(?:\/\/.*|@[\w.-]+:registry|registry|always-auth|strict-ssl|fund|audit|audit-level|progress|loglevel|color|unicode|save|save-exact|save-prefix|package-lock|lockfile|engine-strict|legacy-peer-deps|strict-peer-deps|strict-peer-dependencies|auto-install-peers|shamefully-hoist|hoist|hoist-pattern\[?\]?|public-hoist-pattern\[?\]?|node-linker|resolution-mode|prefer-workspace-packages|link-workspace-packages|save-workspace-protocol|shared-workspace-lockfile|dedupe-peer-dependents|ignore-scripts|ignore-workspace-root-check|enable-pre-post-scripts|update-notifier|prefer-offline|install-links|install-strategy|min-release-age|minimum-release-age|fetch-[a-z]+|message|tag-version-prefix|sign-git-tag|access|provenance|omit|include|include-workspace-root|verify-deps-before-run|manage-package-manager-versions|package-manager-strict|package-manager-strict-version|use-beta-cli|side-effects-cache|virtual-store-dir-max-length)$/u;
const YARN_ONE =
  /^(?:registry|"?@[\w.-]+:registry"?|save-prefix|"?--[\w.-]*(?:frozen-lockfile|ignore-engines|network-timeout|silent)"?|network-timeout|ignore-engines|lastUpdateCheck|strict-ssl|disable-self-update-check|workspaces-experimental|yarn-path|"yarn-path")$/u;
const YARN =
  /^(?:nodeLinker|npm\w+|enable(?:Telemetry|GlobalCache|ImmutableInstalls|ImmutableCache|InlineBuilds|Scripts|Colors|Hyperlinks|MessageNames|Mirror|Network|ProgressBars|StrictSsl|Timers|HardenedMode)|compressionLevel|checksumBehavior|cacheFolder|packageExtensions|supportedArchitectures|nmHoistingLimits|nmMode|nmSelfReferences|pnpMode|pnpFallbackMode|pnpIgnorePatterns|pnpEnableEsmLoader|defaultSemverRangePrefix|defaultProtocol|preferInteractive|logFilters|httpTimeout|httpRetry|networkConcurrency|tsEnableAutoTypes|immutablePatterns|changesetBaseRefs|initScope|initFields|catalogs?|approvedGitRepositories|telemetryInterval|yarnPath|plugins)$/u;
const PNPM =
  /^(?:packages|catalogs?|overrides|onlyBuiltDependencies|neverBuiltDependencies|ignoredBuiltDependencies|allowBuilds|patchedDependencies|packageExtensions|peerDependencyRules|allowedDeprecatedVersions|nodeLinker|hoist|hoistPattern|publicHoistPattern|shamefullyHoist|linkWorkspacePackages|preferWorkspacePackages|saveWorkspaceProtocol|saveExact|savePrefix|autoInstallPeers|strictPeerDependencies|dedupePeerDependents|dedupeDirectDeps|injectWorkspacePackages|sharedWorkspaceLockfile|catalogMode|cleanupUnusedCatalogs|minimumReleaseAge|minimumReleaseAgeExclude|engineStrict|ignoreScripts|enablePrePostScripts|resolutionMode|updateConfig|auditConfig|supportedArchitectures|trustPolicy|blockExoticSubdeps|strictDepBuilds|verifyDepsBeforeRun)$/u;

type Table = Record<string, unknown>;
const tableOf = (value: unknown): Table => (typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Table) : {});

function npm(text: string): string[] {
  return text
    .split(/\r?\n/u)
    .filter((line) => !/^\s*(?:[#;].*)?$/u.test(line))
    .map((line) => (line.split("=")[0] ?? "").trim())
    .filter((key) => !NPM.test(key));
}

function yarnOne(text: string, program: (name: string) => void): string[] {
  return text
    .split(/\r?\n/u)
    .filter((line) => !/^\s*(?:#.*)?$/u.test(line))
    .flatMap((line) => {
      const [, key = "", value = ""] = /^("?[^\s":]+(?::registry)?"?):?\s+(.*)$/u.exec(line) ?? [];
      if (/yarn-path/u.test(key)) program(value.replaceAll('"', ""));
      return YARN_ONE.test(key) ? [] : [line.slice(0, 40)];
    });
}

function yarn(text: string, program: (name: string) => void): string[] {
  const table = tableOf(parseYaml(text));
  const own = table["yarnPath"];
  if (own !== undefined) program(typeof own === "string" ? own : "");
  const plugins: unknown[] = Array.isArray(table["plugins"]) ? table["plugins"] : [];
  for (const plugin of plugins) {
    const place = typeof plugin === "string" ? plugin : tableOf(plugin)["path"];
    program(typeof place === "string" ? place : "");
  }
  return Object.keys(table).filter((key) => !YARN.test(key));
}

function bun(text: string): string[] {
  const { install: _install, telemetry: _telemetry, logLevel: _level, test, ...rest } = tableOf(parseToml(text));
  const inTests = Object.keys(tableOf(test)).filter((key) => !/^(?:coverage\w*|root|timeout|smol|randomize|seed|retry|bail)$/u.test(key));
  return [...Object.keys(rest), ...inTests];
}

const FILES: Readonly<Record<string, (text: string, program: (name: string) => void) => string[]>> = {
  ".npmrc": npm,
  ".yarnrc": yarnOne,
  ".yarnrc.yml": yarn,
  "bunfig.toml": bun,
  "pnpm-workspace.yaml": (text) => Object.keys(tableOf(parseYaml(text))).filter((key) => !PNPM.test(key)),
};

/** Looked for in the package and every folder above it in the project. */
export function takeManagerFiles(behind: Behind, folder: string): void {
  for (let dir = folder; behind.isInside(dir); dir = path.dirname(dir)) {
    if (!behind.once(`settings ${dir}`)) return;
    for (const [name, unknownKeys] of Object.entries(FILES)) {
      const file = path.join(dir, name);
      if (behind.take(file) === "none") continue;
      const label = behind.relative(file);
      const text = projectFile.text(behind.root, file);
      try {
        const unknown = unknownKeys(text ?? "?", (program) => {
          if (program === "" || behind.take(path.resolve(dir, program)) !== "taken")
            behind.cannot(`${label} names a program that cannot be followed`);
        });
        if (unknown.length > 0) behind.cannot(`${label} says ${unknown[0]}, which may name a program`);
      } catch {
        behind.cannot(`${label} cannot be read`);
      }
    }
    for (const name of [".pnp.cjs", ".pnp.loader.mjs", ".pnp.js"]) behind.takeIfThere(path.join(dir, name));
    // Manifests in other forms, which a manager may prefer.
    for (const name of ["package.json5", "package.yaml", "yarn.config.cjs", ".pnpmfile.cjs"]) behind.takeIfThere(path.join(dir, name));
    if (dir === path.dirname(dir)) return;
  }
}
