/**
 * The project's own test, type and lint commands: a repository's text, not the user's word. They run
 * inside the sandbox, or where a user agreed to that very text; naming one with `--check` is another thing.
 */
import { existsSync } from "node:fs";
import path from "node:path";
import { canonicalJson } from "../kernel/index.ts";
import { toCommandLine, type CommandLine } from "../workspace/index.ts";
import { checkThing } from "../guard/index.ts";
import { checksFrom, programsOf, type DiscoveredCheck } from "./discovered-checks.ts";
import type { ProjectTrust } from "../guard/index.ts";
import type { Tools } from "./project-tools.ts";

export interface ProjectChecks {
  /** What is found for work in this folder, and what of it nobody agreed to where there is no sandbox. */
  find(root: string): Promise<{ usable: DiscoveredCheck[]; held: DiscoveredCheck[] }>;
  /** By which rule a command found in the project may run in this folder now; undefined: ask as for any other. */
  rule(command: CommandLine, root: string): Promise<string | undefined>;
  /** How these checks begin, as words, with what the project's own lines behind them run. */
  programs(commands: readonly string[], root: string): Promise<string[][]>;
  sandboxed(): Promise<boolean>;
  /**
   * As things a user may trust, and those nobody can agree to for good, each with the reason; none where the sandbox makes
   * that needless, unless all are wanted.
   */
  things(which: "needed" | "all"): Promise<BroughtThings>;
}

type BroughtThings = NonNullable<Parameters<ProjectTrust["status"]>[0]>;

const keyOf = (command: CommandLine | undefined): string => canonicalJson(command ?? null);

export function createProjectChecks(project: string, tools: Tools, trust: ProjectTrust): ProjectChecks {
  // Looked at once: whoever judges a command and whoever finds it must mean the same sandbox.
  let known: Promise<boolean> | undefined;
  const sandboxed = (): Promise<boolean> =>
    (known ??= tools.api.sandboxStatus().then(({ mode, available }) => mode !== "off" && available));
  const checksIn = async (root: string): Promise<DiscoveredCheck[]> => checksFrom(await tools.discoverIn(root));
  /** The folder itself and those above it, up to the project or the work tree it lies in. */
  const foldersAt = (root: string): string[] => {
    const folders = [root];
    for (let dir = root; dir !== project && !existsSync(path.join(dir, ".git")) && dir !== path.dirname(dir);) {
      dir = path.dirname(dir);
      folders.push(dir);
    }
    return folders;
  };
  const agreed = async (command: CommandLine, root: string): Promise<boolean> => {
    const wanted = keyOf(command);
    for (const folder of foldersAt(root)) {
      const check = (await checksIn(folder)).find((one) => keyOf(toCommandLine(one.command)) === wanted);
      // The nearest one is the one that runs.
      if (check !== undefined) return check.unclear === undefined && trust.now().thing(checkThing(check));
    }
    return false;
  };
  return {
    sandboxed,
    programs: async (commands, root) => programsOf(await tools.discoverIn(root), commands),
    async rule(command, root) {
      if (await sandboxed()) return "a check of the project, inside the sandbox";
      return (await agreed(command, root)) ? "a check of the project, trusted as it is" : undefined;
    },
    async find(root) {
      const checks = await checksIn(project);
      if (await sandboxed()) return { usable: checks, held: [] };
      const found: { usable: DiscoveredCheck[]; held: DiscoveredCheck[] } = { usable: [], held: [] };
      for (const check of checks) {
        const command = toCommandLine(check.command);
        found[command !== undefined && (await agreed(command, root)) ? "usable" : "held"].push(check);
      }
      return found;
    },
    async things(which) {
      const isBounded = await sandboxed();
      const found: BroughtThings = { things: [], unusable: [] };
      if (isBounded && which === "needed") return found;
      for (const check of await checksIn(project)) {
        if (check.unclear === undefined) found.things.push(checkThing(check));
        else if (!isBounded)
          found.unusable.push({ name: check.command, reason: `cannot be followed, so each run is a question: ${check.unclear}` });
      }
      return found;
    },
  };
}
