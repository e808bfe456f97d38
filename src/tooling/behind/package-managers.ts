/** Command lines of package managers: which scripts of which packages they run. An option that is not known ends the following. */
import { existsSync } from "node:fs";
import { must } from "../../kernel/index.ts";
import { places, type Reader, type Run, type Stand, type Word } from "./behind.ts";
import type { Follower } from "./interpreters.ts";
import { packageOf, packageScript, scriptIn } from "./package-scripts.ts";
import { workspacesOf } from "./workspaces.ts";

interface Manager {
  quiet: RegExp;
  folder: RegExp;
  /** Takes the name of a package; those that are for all take none. */
  one: RegExp;
  all: RegExp;
  run: RegExp;
  exec: RegExp;
  /** Sub-commands that are the name of a script. */
  scripts: RegExp;
  /** Sub-commands that only look. */
  looks: RegExp;
  /** Whatever else is the name of a script, or of an installed program. */
  bare: boolean;
  /** Options behind the name are the manager's own until `--`. */
  optionsBehind: boolean;
}

const NPM: Manager = {
  quiet:
    /^(?:-s|-q|-d|--(?:silent|quiet|if-present|ignore-scripts|no-audit|no-fund|no-progress|offline|foreground-scripts|no-update-notifier|loglevel=\w+|color|no-color))$/u,
  folder: /^(?:-C|--prefix)$/u,
  one: /^(?:-w|--workspace)$/u,
  all: /^(?:-ws|--workspaces|-iwr|--include-workspace-root)$/u,
  run: /^(?:run|run-script|rum|urn)$/u,
  exec: /^(?:exec|x)$/u,
  scripts: /^(?:test|t|tst|start|stop)$/u,
  looks: /^(?:ls|list|audit|outdated|-v|--version)$/u,
  bare: false,
  optionsBehind: true,
};
const PNPM: Manager = {
  quiet:
    /^(?:-s|--(?:silent|if-present|no-bail|bail|stream|aggregate-output|sequential|parallel|no-sort|reporter=[a-z-]+|loglevel=\w+|workspace-concurrency=\d+|color|no-color))$/u,
  folder: /^(?:-C|--dir)$/u,
  one: /^(?:-F|--filter)$/u,
  all: /^(?:-r|--recursive|-w|--workspace-root)$/u,
  run: /^(?:run|run-script)$/u,
  exec: /^exec$/u,
  scripts: /^(?:test|t|tst|start|stop)$/u,
  looks: /^(?:ls|list|audit|outdated|why|m|multi|recursive|-v|--version)$/u,
  bare: true,
  optionsBehind: false,
};
const YARN: Manager = {
  quiet: /^(?:-s|--(?:silent|non-interactive|offline|no-progress|verbose))$/u,
  folder: /^--cwd$/u,
  one: /^$/u,
  all: /^$/u,
  run: /^(?:run|run-script)$/u,
  exec: /^$/u,
  scripts: /^(?:test|start|stop)$/u,
  looks: /^(?:-v|--version|why|audit|outdated|list)$/u,
  bare: true,
  optionsBehind: false,
};
const BUN: Manager = { ...YARN, quiet: /^(?:--(?:silent|bun|if-present))$|^-b$/u, scripts: /^(?:start|stop)$/u, exec: /^x$/u };
/** What `yarn` and `pnpm` do themselves; a script by that name does not run. */
const OWN =
  /^(?:add|install|i|ci|up|update|upgrade|remove|rm|link|unlink|dlx|create|init|publish|pack|patch|patch-commit|plugin|set|config|cache|dedupe|import|rebuild|rb|prune|deploy|setup|env|exec|node|npm|workspace|workspaces|constraints|global|store|server|fetch|root|bin|self-update|policies|version|login|logout|stage|unplug|search|info|explain|rebase|approve-builds|x|repl|completions|help|restart|generate-lock-entry|versions|autoclean|licenses|team|owner|tag|check|recursive|m|multi|test|t)$/u;

const NAMES: Readonly<Record<string, string>> = { t: "test", tst: "test" };

interface Asked {
  stand: Stand;
  packages: "here" | "all" | string[];
}

/** Scripts of the package here, or of those that were asked for. */
function run(reader: Reader, asked: Asked, script: string, extra: readonly Word[]): void {
  const { behind } = reader;
  const { stand, packages } = asked;
  if (packages === "here") {
    packageScript(reader, stand, script, extra);
    return;
  }
  const all = workspacesOf(behind);
  const root = packageOf(behind, behind.root);
  const wanted =
    packages === "all"
      ? [...all, ...(root === undefined ? [] : [root])]
      : packages.flatMap((name) => {
          const folders = places(name, { ...stand, at: [...stand.at, behind.root] });
          const found = all.filter((one) => one.name === name || one.name?.endsWith(`/${name}`) === true || folders.includes(one.folder));
          if (found.length === 0) behind.cannot(`${name} is no package of the project that can be followed`);
          return found;
        });
  const ran = wanted.map((one) => scriptIn(reader, one, script, extra));
  if (!ran.includes(true)) behind.cannot(`${script} is no script of these packages`);
}

/** A program of `node_modules/.bin`, not one of the package itself. */
function program(reader: Reader, { stand, packages }: Asked, words: readonly Word[]): void {
  const { behind } = reader;
  const name = words[0]?.value;
  const isOwn = stand.at.some((from) => packageOf(behind, from)?.programs.includes(name ?? "") === true);
  if (packages !== "here" || name === undefined || isOwn || !/^(?:@[\w.-]+\/)?[\w-][\w.-]*$/u.test(name))
    behind.cannot(`what ${words[0]?.source ?? "it"} runs cannot be said`);
  else reader.words(words, stand);
}

function follow(reader: Reader, { name, args, stand }: Run, manager: Manager): void {
  const { behind } = reader;
  const asked: Asked = { stand, packages: "here" };
  const plain: Word[] = [];
  let at = 0;
  for (; at < args.length; at += 1) {
    const word = must(args[at]);
    const text = word.value;
    if (text === undefined) {
      if (plain.length === 0 || word.splits || manager.optionsBehind) behind.cannot(`${word.source} of ${name} is decided when it runs`);
      plain.push(word);
      continue;
    }
    const ownOptions = plain.length < 2 && (plain.length === 0 || manager.run.test(plain[0]?.value ?? ""));
    if (text === "--") break;
    if (!text.startsWith("-") || (!ownOptions && !manager.optionsBehind)) {
      plain.push(word);
      continue;
    }
    if (plain.length === 0 && manager.looks.test(text)) return;
    if (manager.quiet.test(text)) continue;
    const [option = "", ...glued] = text.split("=");
    const value = (): string | undefined => (glued.length > 0 ? glued.join("=") : args[(at += 1)]?.value);
    if (manager.all.test(text)) asked.packages = "all";
    else if (manager.one.test(option)) {
      const wanted = value();
      if (wanted === undefined || !/^[\w@./-]+$/u.test(wanted)) behind.cannot(`which package ${text} of ${name} means cannot be said`);
      else if (asked.packages !== "all") asked.packages = [...(asked.packages === "here" ? [] : asked.packages), wanted];
    } else if (manager.folder.test(option)) {
      const folder = value();
      const there = folder === undefined ? [] : places(folder, asked.stand).filter((place) => behind.isInside(place) && existsSync(place));
      if (there.length === 0) behind.cannot(`where ${text} of ${name} leads cannot be said`);
      else asked.stand = { ...stand, at: there };
    } else behind.cannot(`the option ${text} of ${name} is not one that is known`);
  }
  const extra = args.slice(at + 1);
  for (const from of asked.stand.at) packageOf(behind, from);
  start(reader, name, manager, asked, [plain, extra]);
}

function start(reader: Reader, name: string, manager: Manager, asked: Asked, [plain, extra]: [readonly Word[], readonly Word[]]): void {
  const { behind } = reader;
  const [first, second, ...rest] = plain;
  const sub = first?.value;
  if (sub === undefined) behind.cannot(`what ${name} alone runs cannot be said`);
  else if (manager.scripts.test(sub)) run(reader, asked, NAMES[sub] ?? sub, [...plain.slice(1), ...extra]);
  else if (manager.run.test(sub) && second?.value !== undefined) named(reader, manager, asked, [second, ...rest, ...extra]);
  else if (manager.exec.test(sub)) program(reader, asked, [...plain.slice(1), ...extra]);
  else if (manager.looks.test(sub) && !/^(?:recursive|m|multi)$/u.test(sub)) return;
  else if (manager.bare && !OWN.test(sub)) named(reader, manager, asked, [...plain, ...extra]);
  else behind.cannot(`what ${name} ${sub} runs cannot be said`);
}

/** A script of that name, else an installed program where the manager looks for one. */
function named(reader: Reader, manager: Manager, asked: Asked, words: readonly Word[]): void {
  const name = must(words[0]?.value);
  const has = asked.stand.at.some((from) => Object.hasOwn(packageOf(reader.behind, from)?.scripts ?? {}, name));
  if (has || !manager.bare || asked.packages !== "here") run(reader, asked, name, words.slice(1));
  else program(reader, asked, words);
}

export const followNpm: Follower = (reader, one) => {
  follow(reader, one, NPM);
};

export const followPnpm: Follower = (reader, one) => {
  follow(reader, one, PNPM);
};

export const followYarn: Follower = (reader, one) => {
  const [sub, name, ...rest] = one.args;
  if (sub?.value === "workspace" && name?.value !== undefined && rest[0]?.value !== undefined) {
    const words = rest[0].value === "run" ? rest.slice(1) : rest;
    const script = words[0]?.value;
    if (script === undefined || script.startsWith("-")) reader.behind.cannot(`what yarn workspace ${name.value} runs cannot be said`);
    else run(reader, { stand: one.stand, packages: [name.value] }, script, words.slice(1));
  } else if (sub?.value === "workspaces" && (name?.value === "run" || name?.value === "foreach")) {
    const words = name.value === "run" ? rest : rest.slice(rest.findIndex((word) => word.value === "run") + 1);
    const options = rest.slice(0, rest.length - words.length).map(({ value }) => value);
    const script = words[0]?.value;
    const known = options.every(
      (option) =>
        option === "run" ||
        (option !== undefined &&
          /^(?:-[AWptvi]+|--(?:all|worktree|parallel|topological|topological-dev|verbose|interlaced))$/u.test(option)),
    );
    if (script === undefined || script.startsWith("-") || !known) reader.behind.cannot("what yarn workspaces runs cannot be said");
    else run(reader, { stand: one.stand, packages: "all" }, script, words.slice(1));
  } else follow(reader, one, YARN);
};

/** `bun test` is its own; its settings say what is loaded before. */
export const followBun: Follower = (reader, one) => {
  if (one.args[0]?.value === "test") {
    const loads = one.args.some(
      ({ value }) =>
        value === undefined ||
        /^(?:-r|-c|-i|--(?:preload|require|import|config|env-file|cwd|define|loader))(?:=|$)/u.test(value) ||
        /^-[rc]./u.test(value),
    );
    if (loads) reader.behind.cannot("what bun test loads cannot be said");
    for (const from of one.stand.at) {
      const manifest = packageOf(reader.behind, from);
      if (manifest !== undefined) scriptIn(reader, { ...manifest, scripts: {} }, "test", []);
    }
  } else follow(reader, one, BUN);
};

export const followNpx: Follower = (reader, { name, args, stand }) => {
  const from = args.findIndex(
    ({ value }) => value === undefined || !/^(?:-y|--(?:yes|no|no-install|quiet|offline|prefer-offline|silent|bun)|-q|--)$/u.test(value),
  );
  const words = from === -1 ? [] : args.slice(from);
  if (words[0]?.value?.startsWith("-") !== false) reader.behind.cannot(`what ${name} ${words[0]?.source ?? ""} runs cannot be said`);
  else program(reader, { stand, packages: "here" }, words);
  for (const folder of stand.at) {
    const manifest = packageOf(reader.behind, folder);
    if (manifest !== undefined) scriptIn(reader, { ...manifest, scripts: {} }, "", []);
  }
};
