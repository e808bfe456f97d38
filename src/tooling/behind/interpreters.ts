/** Programs that run what a word after them names: the script is taken in, and what is loaded before it. */
import { readdirSync } from "node:fs";
import path from "node:path";
import type { Behind, Reader, Run } from "./behind.ts";
import { takeNamed } from "./behind.ts";
import {
  BARE_OPTIONS,
  COVERAGE_OPTIONS,
  DENO_OPTIONS,
  NODE_LIKE_OPTIONS,
  NODE_OPTIONS,
  PYTHON_OPTIONS,
  RUBY_OPTIONS,
  SHELL_OPTIONS,
} from "./node-options.ts";
import { walkOptions, type KnownOptions } from "./options.ts";

export type Follower = (reader: Reader, run: Run) => void;

/** Sub-commands and switches that stand where a script does. */
const OTHER_WORDS = /^(?:inspect|debug|watch|repl|\+.*)$/u;

function scriptOf(options: KnownOptions, endings: readonly string[] = []): Follower {
  return ({ behind }, run) => {
    const walked = walkOptions(behind, run, options);
    // The files that a run of tests names are tests; they are not followed.
    if (walked === undefined || walked.has("--test")) return;
    const [script] = walked.rest;
    if (OTHER_WORDS.test(script?.value ?? "")) behind.cannot(`what ${run.name} ${script?.source ?? ""} runs cannot be said`);
    takeNamed(behind, script, run.stand, endings);
    // A shell looks along the search path for what is not where it stands.
    if (options === SHELL_OPTIONS && script?.value?.includes("/") === false) behind.takeInstalled(script.value, run.stand);
  };
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** Python looks into the folder it stands in first, in whichever form the module has there. */
function takePythonModule(behind: Behind, name: string, folders: readonly string[]): void {
  if (!/^[\w.]+$/u.test(name) || folders.some((folder) => !behind.isInside(folder))) {
    behind.cannot(`the module ${name} cannot be followed`);
    return;
  }
  for (const folder of folders) {
    let dir = folder;
    const parts = name.split(".");
    parts.forEach((part, at) => {
      for (const entry of entriesOf(dir).filter(
        (one) => one === part || (one.startsWith(`${part}.`) && /\.(?:py|pyw|pyc|so|pyd)$/u.test(one)),
      ))
        if (behind.take(path.join(dir, entry)) === "folder" && entry === part)
          for (const own of entriesOf(path.join(dir, entry)))
            if (own.startsWith("__init__.") || (at === parts.length - 1 && own.startsWith("__main__.")))
              behind.take(path.join(dir, entry, own));
      dir = path.join(dir, part);
    });
  }
}

const MODULES_THAT_START =
  /^(?:tox|nox|invoke|pip|poetry|hatch|pdm|build|doit|fabric|timeit|cProfile|profile|trace|pdb|runpy|zipapp|venv|virtualenv|ensurepip|idlelib.*|code|http.*)$/u;

function moduleOf(reader: Reader, { args, stand }: Run, tool: Follower): void {
  const module = args[0]?.value;
  if (module === undefined || MODULES_THAT_START.test(module))
    reader.behind.cannot(`the module ${args[0]?.source ?? ""} cannot be followed`);
  else {
    takePythonModule(reader.behind, module, stand.at);
    const run: Run = { name: module, args: args.slice(1), stand };
    if (module === "coverage") coverageWith(tool)(reader, run);
    else tool(reader, run);
  }
}

/** Options, then a script, or `-m` and a module. */
function scriptOrModule(reader: Reader, run: Run, options: KnownOptions, tool: Follower): void {
  const { behind } = reader;
  const at = run.args.findIndex((word) => word.value === "-m");
  const walked = walkOptions(behind, { ...run, args: at === -1 ? run.args : run.args.slice(0, at) }, options);
  if (walked === undefined) return;
  // A warning may be named by a class, whose module is loaded.
  if (walked.values.get("-W")?.includes(".") === true) behind.cannot("a warning names a module");
  if (at === -1 || walked.rest.length > 0) takeNamed(behind, walked.rest[0], run.stand);
  else moduleOf(reader, { ...run, args: run.args.slice(at + 1) }, tool);
}

const pythonWith =
  (tool: Follower): Follower =>
  (reader, run) => {
    if (run.args.length === 1 && /^(?:-V|--version)$/u.test(run.args[0]?.value ?? "")) return;
    scriptOrModule(reader, run, PYTHON_OPTIONS, tool);
  };

const coverageWith =
  (tool: Follower): Follower =>
  (reader, run) => {
    const [sub, ...args] = run.args;
    if (sub?.value !== undefined && /^(?:report|html|xml|json|lcov|combine|erase)$/u.test(sub.value)) return;
    if (sub?.value === "run") scriptOrModule(reader, { ...run, args }, COVERAGE_OPTIONS, tool);
    else reader.behind.cannot(`what ${run.name} would run cannot be said`);
  };

const DENO_LOOKS = /^(?:test|lint|fmt|check|bench|doc|info|--version)$/u;

const deno: Follower = ({ behind }, { name, args, stand }) => {
  const [sub, ...more] = args;
  for (const folder of stand.at)
    for (const file of ["deno.json", "deno.jsonc", "package.json"]) behind.takeIfThere(path.join(folder, file));
  if (sub?.value !== "run" && (sub?.value === undefined || !DENO_LOOKS.test(sub.value))) {
    behind.cannot(`what ${name} ${sub?.source ?? ""} runs cannot be said`);
    return;
  }
  const walked = walkOptions(behind, { name, args: more, stand }, DENO_OPTIONS);
  if (walked !== undefined && sub.value === "run") takeNamed(behind, walked.rest[0], stand);
};

const shell = scriptOf(SHELL_OPTIONS);
/** A name without a folder is looked for along the search path. */
const sourced: Follower = ({ behind }, { name, args, stand }) => {
  if (args[0]?.value?.includes("/") !== true) behind.cannot(`what ${name} reads cannot be said`);
  else takeNamed(behind, args[0], stand);
};
const tsx = scriptOf(NODE_LIKE_OPTIONS, [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".node"]);
const nodeScript = scriptOf(NODE_OPTIONS, [".js", ".json", ".node"]);

/** `--run` of node starts a script of the package, `-m` of python a tool; whoever follows those is handed in. */
export function interpreters(others: {
  script: (reader: Reader, run: Run, name: string) => void;
  tool: Follower;
}): Readonly<Record<string, Follower>> {
  const python = pythonWith(others.tool);
  const node: Follower = (reader, run) => {
    const [first, ...rest] = run.args;
    const script =
      first?.value === "--run" ? rest[0]?.value : first?.value?.startsWith("--run=") === true ? first.value.slice(6) : undefined;
    if (script !== undefined && rest.length <= 1) others.script(reader, run, script);
    else if (run.args.length === 1 && /^(?:-v|--version)$/u.test(first?.value ?? "")) return;
    else nodeScript(reader, run);
  };
  const all = (names: string, follower: Follower): Record<string, Follower> =>
    Object.fromEntries(names.split(" ").map((one) => [one, follower]));
  return {
    node,
    nodejs: node,
    deno,
    coverage: coverageWith(others.tool),
    ...all("tsx ts-node ts-node-esm ts-node-transpile-only babel-node esno esmo vite-node jiti swc-node zx", tsx),
    ...all("sh bash dash ash ksh zsh", shell),
    ...all("source .", sourced),
    ...all("python python2 python3 pypy pypy3", python),
    ...all("ruby", scriptOf(RUBY_OPTIONS)),
    ...all("perl php lua luajit Rscript", scriptOf(BARE_OPTIONS)),
  };
}
