/** Looks at what Sylk needs and says, for each finding, how to fix it. */
import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { messageOf, systemPaths, type Clock, type Dirs, type ProjectDirs } from "../kernel/index.ts";
import type { Store } from "../journal/index.ts";
import type { Result } from "../protocol/api/index.ts";
import { gateByRule, listProjectFiles, openWorkspace, treesOnDisk } from "../workspace/index.ts";
import type { ProjectTrust } from "../guard/index.ts";
import { languageById, languageOf } from "../code/index.ts";
import type { LanguageServers } from "./language-servers/language-servers.ts";

type Finding = Result<"project.doctor">["findings"][number];

export interface DoctorApi {
  /** Quick: without trying the language servers. */
  run(quick: boolean, signal: AbortSignal): Promise<Result<"project.doctor">>;
}

export interface DoctorParts {
  clock: Clock;
  dirs: Dirs;
  project: ProjectDirs;
  notices: readonly string[];
  env: Record<string, string | undefined>;
  version: string;
  /** Variables that hold keys of model providers, the providers of the configuration, and those whose key is kept. */
  models: (signal: AbortSignal) => Promise<{
    keys: readonly string[];
    configured: readonly string[];
    kept: readonly string[];
    /** Whose server on this machine is not there, and why. */
    silent: readonly { name: string; why: string }[];
    /** The one that is asked unless another is named. */
    model: string | null;
  }>;
  /** `cause`: nothing is wrong with the value, it may not count here. */
  configWarnings: () => { path: string; source: string; message: string; cause?: "untrusted" | "personal" | undefined }[];
  /** With `checks`, the project's own commands too that need an answer on this machine. */
  trust: (checks: "needed" | "none") => Promise<ReturnType<ProjectTrust["status"]>>;
  store: () => Promise<Store>;
  /** Where work trees stand. */
  treesDir: string;
  servers: () => Promise<LanguageServers>;
}

const MIN_NODE_MAJOR = 24;
const SAMPLED_FILES = 40;
/** Trees that take more than this are worth a look. */
const MUCH_BYTES = 5 * 1024 ** 3;

interface Tool {
  name: string;
  argv: string[];
  needed: "problem" | "warning";
  purpose: string;
  fix: string;
}

const TOOLS: readonly Tool[] = [
  {
    name: "git",
    argv: ["git", "--version"],
    needed: "warning",
    purpose: "isolated work trees and merging",
    fix: "install git (Debian: apt-get install git, macOS: brew install git)",
  },
  {
    name: "ripgrep",
    argv: ["rg", "--version"],
    needed: "warning",
    purpose: "the command sandbox (searching uses the bundled one)",
    fix: "install ripgrep (Debian: apt-get install ripgrep, macOS: brew install ripgrep)",
  },
  {
    name: "sandbox",
    argv: process.platform === "darwin" ? ["sandbox-exec", "-p", "(version 1)(allow default)", "true"] : ["bwrap", "--version"],
    needed: "warning",
    purpose: "running commands inside a sandbox",
    fix: "install bubblewrap and socat (Debian: apt-get install bubblewrap socat)",
  },
];

export function createDoctor(parts: DoctorParts): DoctorApi {
  const node = (): Finding => {
    const major = Number(process.versions.node.split(".")[0]);
    return major >= MIN_NODE_MAJOR
      ? { name: "node", status: "ok", message: `v${process.versions.node}` }
      : { name: "node", status: "problem", message: `v${process.versions.node} is too old`, fix: `use Node.js ${MIN_NODE_MAJOR} or newer` };
  };

  const tool = async ({ name, argv, needed, purpose, fix }: Tool, signal: AbortSignal): Promise<Finding> => {
    const workspace = openWorkspace({
      root: parts.project.project,
      gate: gateByRule("doctor looks for tools", ["run"]),
      redact: (text) => text,
      clock: parts.clock,
      // No sandbox is around these: what the project brings under their names is not asked.
      parentEnv: { ...parts.env, PATH: systemPaths.machine.without(parts.env["PATH"] ?? "", [parts.project.project]) },
    });
    const outcome = await workspace.processes.run({ command: argv, timeoutMs: 5_000, signal });
    if (outcome.kind === "exited" && outcome.exitCode === 0) {
      return { name, status: "ok", message: outcome.stdout.split("\n")[0]?.trim() || "available" };
    }
    if (outcome.kind === "timed_out")
      return { name, status: needed, message: "did not answer in time; the machine may be busy", fix: "try again" };
    return { name, status: needed, message: `not found; needed for ${purpose}`, fix };
  };

  const repository = (): Finding => {
    for (let dir = parts.project.project; ; dir = path.dirname(dir)) {
      if (existsSync(path.join(dir, ".git"))) return { name: "repository", status: "ok", message: dir };
      if (dir === path.dirname(dir)) break;
    }
    return {
      name: "repository",
      status: "warning",
      message: "this folder is in no git repository: no work trees (-w), no history for `why` and `search`; undo works",
      fix: "git init",
    };
  };

  const folders = (): Finding[] =>
    Object.entries({ ...parts.dirs, project: parts.project.project }).map(([name, dir]): Finding => {
      try {
        if (name !== "project") mkdirSync(dir, { recursive: true, mode: 0o700 });
        accessSync(dir, constants.W_OK);
        return { name: `${name} folder`, status: "ok", message: dir };
      } catch (error) {
        return {
          name: `${name} folder`,
          status: "problem",
          message: `${dir}: ${messageOf(error)}`,
          fix:
            name === "project"
              ? "give yourself write access to the folder, or choose another with -C"
              : "give yourself write access, or set SYLK_HOME to a folder of yours",
        };
      }
    });

  const place = (): Finding =>
    parts.notices.length === 0
      ? { name: "private files", status: "ok", message: parts.project.private }
      : { name: "private files", status: "warning", message: parts.notices.join("; "), fix: `they stand in ${parts.project.private}` };

  const providers = async (signal: AbortSignal): Promise<Finding> => {
    const { keys, configured, kept, silent, model } = await parts.models(signal);
    // One that is known by itself, at its usual place, is missed only by who uses it.
    const missed = silent.find(({ name }) => configured.includes(name) || name === "openai" || model?.startsWith(`${name}/`) === true);
    if (missed !== undefined)
      return {
        name: "providers",
        status: "warning",
        message: `${missed.name}: ${missed.why}`,
        fix: "start the server there, or `sylk config set llm.default_model …` to another model",
      };
    const set = keys.filter((key) => (parts.env[key] ?? "") !== "");
    const found = [
      ...set.map((key) => `${key} is set`),
      ...kept.map((name) => `${name} (key kept here)`),
      ...configured.map((name) => `${name} (configured)`),
    ];
    if (parts.env["OPENAI_BASE_URL"] !== undefined) found.push("OPENAI_BASE_URL is set");
    if (found.length > 0) return { name: "providers", status: "ok", message: found.join(", ") };
    return {
      name: "providers",
      status: "warning",
      message: "no model provider is configured; everything that needs no model still works",
      fix: "`sylk auth login`, or set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or OPENAI_BASE_URL for a local server",
    };
  };

  const database = async (): Promise<Finding> => {
    if (!existsSync(parts.project.database))
      return { name: "database", status: "ok", message: `none yet; the first task creates ${parts.project.database}` };
    try {
      const store = await parts.store();
      const complaint = await store.admin.check();
      if (complaint !== undefined)
        return { name: "database", status: "problem", message: `damaged: ${complaint}`, fix: "run `sylk journal rebuild`" };
      const events = await store.journal.headPosition();
      if (store.warnings.length > 0)
        return { name: "database", status: "warning", message: store.warnings.join("; "), fix: "see the message" };
      return { name: "database", status: "ok", message: `healthy, ${events} events, ${parts.project.database}` };
    } catch (error) {
      return {
        name: "database",
        status: "problem",
        message: messageOf(error),
        fix: (error as { fix?: string }).fix ?? "run `sylk journal rebuild`",
      };
    }
  };

  /** What work that is not merged, or was not let go of, takes on disk. */
  const trees = async (signal: AbortSignal): Promise<Finding> => {
    const { folder, trees: found, isWhole } = await treesOnDisk(parts.treesDir, signal);
    const [largest] = found;
    if (largest === undefined) return { name: "work trees", status: "ok", message: "none" };
    const bytes = found.reduce((sum, tree) => sum + tree.bytes, 0);
    const size = (of: number): string => `${(of / 1024 ** 2).toFixed(1)} MB`;
    const message = `${found.length === 1 ? "1 tree takes" : `${found.length} trees take`} ${isWhole ? "" : "more than "}${size(bytes)} below ${folder}${
      found.length === 1 ? "" : `; the largest, ${largest.id}, ${size(largest.bytes)}`
    }`;
    if (bytes < MUCH_BYTES) return { name: "work trees", status: "ok", message };
    const fix =
      "`sylk status`, `sylk session list` and `sylk task list` tell whose they are; `sylk session stop` and `sylk task discard` let them go";
    return { name: "work trees", status: "warning", message, fix };
  };

  const trust = async (checks: "needed" | "none"): Promise<Finding> => {
    const { state, things, problem, unusable } = await parts.trust(checks);
    const open = things.filter(({ standing }) => standing !== "trusted").length;
    const left = open === 1 ? "1 thing" : `${open} things`;
    const strange = unusable.length === 0 ? "" : `; never used: ${unusable.map(({ name, reason }) => `${name} ${reason}`).join(", ")}`;
    if (problem !== undefined)
      return {
        name: "trust",
        status: "warning",
        message: problem,
        fix: "read what the folder brings (`sylk trust status`), then `sylk trust`",
      };
    if (state === "nothing") return { name: "trust", status: "ok", message: `this folder brings nothing that needs your trust${strange}` };
    if (state === "trusted")
      return { name: "trust", status: "ok", message: `you trust what this folder brings (${things.length})${strange}` };
    if (state === "refused") return { name: "trust", status: "ok", message: `you said no to ${left} this folder brings${strange}` };
    return {
      name: "trust",
      status: "warning",
      message: `${left} this folder brings ${open === 1 ? "is" : "are"} not used before you trust ${open === 1 ? "it" : "them"}${strange}`,
      fix: `\`sylk trust status\` shows ${open === 1 ? "it" : "them"}, \`sylk trust\` asks`,
    };
  };

  /** For each language of the project: its server tried for real, or how to get the usual one. */
  const languageServers = async (signal: AbortSignal): Promise<Finding> => {
    const folder = parts.project.project;
    const files = await listProjectFiles(folder, parts.clock, signal);
    const byLanguage = Map.groupBy(files, (file) => languageOf(path.extname(file).toLowerCase())?.id);
    const servers = await parts.servers();
    const seen = await Promise.all(
      [...byLanguage].map(async ([language, all]) => {
        const usual = language === undefined ? undefined : languageById(language)?.tools.lsp;
        if (language === undefined || usual === undefined) return undefined;
        const tried = await servers.try(folder, all.slice(0, SAMPLED_FILES));
        if (tried.length === 0) return { language, message: "none", fix: usual.install?.join(" ") ?? `install ${usual.id}`, broken: false };
        const broken = tried.filter(({ trouble }) => trouble !== undefined);
        const works = tried.filter(({ trouble }) => trouble === undefined).map(({ server }) => server);
        const message = [
          ...works,
          ...(works.length > 0 ? [] : broken.map(({ server, trouble }) => `${server} does not start (${trouble})`)),
        ];
        return { language, message: message.join(", "), fix: undefined, broken: works.length === 0 };
      }),
    );
    const known = seen.filter((one) => one !== undefined);
    const fixes = known.flatMap(({ language, fix }) => (fix === undefined ? [] : [`${language}: ${fix}`]));
    return {
      name: "language servers",
      status: known.some(({ broken }) => broken) ? "warning" : "ok",
      message: known.length === 0 ? "none needed here" : known.map(({ language, message }) => `${language}: ${message}`).join("; "),
      ...(fixes.length === 0 ? {} : { fix: fixes.join("; ") }),
    };
  };

  const configuration = (): Finding => {
    const warnings = parts.configWarnings();
    if (warnings.length === 0) return { name: "configuration", status: "ok", message: "valid" };
    const first = warnings[0];
    return {
      name: "configuration",
      status: "warning",
      message: `${warnings.length} ignored, first: ${first?.source}: ${first?.path} ${first?.message}`,
      fix: warnings.every(({ cause }) => cause !== undefined)
        ? "`sylk config list` shows each and why"
        : "`sylk config list` shows each; correct the file",
    };
  };

  return {
    async run(quick, signal) {
      const tools = await Promise.all(TOOLS.map((one) => tool(one, signal)));
      const findings = [
        node(),
        ...tools,
        ...(quick ? [] : [await languageServers(signal)]),
        repository(),
        await providers(signal),
        configuration(),
        await trust(quick ? "none" : "needed"),
        ...folders(),
        place(),
        await database(),
        await trees(signal),
      ];
      return { version: parts.version, findings, healthy: findings.every((finding) => finding.status !== "problem") };
    },
  };
}
