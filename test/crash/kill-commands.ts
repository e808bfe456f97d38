/**
 * Whole command lines in processes of their own, killed at random instants and given again until they are through,
 * then compared with a project where nothing was killed. Needs no test runner, so that a script can do it for hours.
 */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { stringify } from "yaml";
import type { Random } from "../fuzz/random.ts";
import { MAIN as SYLK } from "../support/built-command.ts";

interface Place {
  base: string;
  dir: string;
  env: Record<string, string>;
}

/** One thing a person does; what to type may depend on what is there. */
interface Deed {
  name: string;
  /** Undefined: it is done already. */
  line: (place: Place) => Promise<string[] | undefined>;
}

interface Story {
  name: string;
  deeds: Deed[];
}

interface Ended {
  killed: boolean;
  code: number | null;
  out: string;
  err: string;
  tookMs: number;
}

function run(place: Place, line: readonly string[], killAfterMs?: number, wholeGroup = true): Promise<Ended> {
  const began = performance.now();
  const child = spawn(process.execPath, [SYLK, ...line], {
    cwd: place.dir,
    env: place.env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  const timer =
    killAfterMs === undefined
      ? undefined
      : setTimeout(() => {
          if (child.pid !== undefined && child.exitCode === null) process.kill(wholeGroup ? -child.pid : child.pid, "SIGKILL");
        }, killAfterMs);
  return new Promise((resolve) => {
    child.on("exit", (code, signal) => {
      clearTimeout(timer);
      // Pipes may be held by what it left running; that is looked for later.
      setImmediate(() => resolve({ killed: signal === "SIGKILL", code, out, err, tookMs: performance.now() - began }));
    });
  });
}

const says =
  (...line: string[]) =>
  (): Promise<string[]> =>
    Promise.resolve(line);

async function tasks(place: Place): Promise<{ id: string; status: string }[]> {
  const { out } = await run(place, ["task", "list", "--json"]);
  return JSON.parse(out) as { id: string; status: string }[];
}

const GOES_ON = ["running", "interrupted"];

/** Begins a task, or goes on with the one that was begun. */
const task = (name: string, more: readonly string[] = [], rules = "rules.yaml"): Deed => ({
  name,
  line: async (place) => {
    const [last] = await tasks(place);
    // One that came to its end before it was killed must not be made to go on.
    if (last !== undefined) return GOES_ON.includes(last.status) ? ["task", "resume", "last"] : undefined;
    return ["task", "start", "do all of it", "-m", `scripted/${place.base}/${rules}`, "--check", "node check.mjs", ...more];
  },
});

const deed = (...line: string[]): Deed => ({ name: line.slice(0, 2).join(" "), line: says(...line) });

interface Asked {
  id: string;
  status: string;
}

async function questions(place: Place): Promise<Asked[]> {
  const { out } = await run(place, ["questions", "--all", "--json"]);
  return JSON.parse(out) as Asked[];
}

async function keys(place: Place): Promise<string[]> {
  const { out } = await run(place, ["auth", "list", "--json"]);
  return (JSON.parse(out) as { credentials: { provider: string }[] }).credentials.map(({ provider }) => provider);
}

/** Answers what is asked, once. */
const answer: Deed = {
  name: "answer",
  line: async (place) => {
    const open = (await questions(place)).find(({ status }) => status === "open");
    return open === undefined ? undefined : ["answer", open.id, "the second one"];
  },
};

/** Goes on with the newest task until it has come to its end. */
const resume: Deed = {
  name: "task resume",
  line: async (place) => {
    const [last] = await tasks(place);
    return last === undefined || last.status === "complete" ? undefined : ["task", "resume", "last"];
  },
};

/** Only begun: nobody runs it yet. */
const begun: Deed = {
  name: "task start --detach",
  line: async (place) => {
    const [last] = await tasks(place);
    return last === undefined
      ? ["task", "start", "do all of it", "-m", `scripted/${place.base}/rules.yaml`, "--check", "node check.mjs", "--detach"]
      : undefined;
  },
};

const STORIES: Story[] = [
  { name: "begun, paused and gone on with", deeds: [begun, deed("task", "pause", "last"), resume] },
  { name: "question", deeds: [task("task start", [], "asking.yaml"), answer, resume] },
  {
    name: "keys",
    deeds: [
      deed("auth", "set", "openai", "--unverified", "--api-key", "sk-test-0123456789abcdef0123456789abcdef"),
      deed("auth", "set", "anthropic", "--unverified", "--api-key", "sk-ant-test-0123456789abcdef0123456789abcdef"),
      {
        name: "auth remove",
        line: async (place) => ((await keys(place)).includes("anthropic") ? ["auth", "remove", "anthropic"] : undefined),
      },
    ],
  },
  {
    name: "skill of one's own",
    deeds: [
      deed(
        "skill",
        "create",
        "Write release notes from merged changes",
        "--name",
        "notes-make",
        "--no-model",
        "--target",
        "claude,agents",
        "--yes",
        "--on-collision",
        "overwrite",
      ),
    ],
  },
  {
    name: "task and undo",
    deeds: [task("task start"), deed("task", "undo", "last", "--force"), deed("journal", "rebuild"), deed("journal", "compact")],
  },
  { name: "tree, merge and undo", deeds: [task("task start -w", ["-w"]), deed("task", "merge", "last"), deed("task", "undo", "last")] },
  { name: "tree and discard", deeds: [task("task start -w", ["-w"]), deed("task", "discard", "last", "--force")] },
  {
    name: "task and cancel",
    deeds: [task("task start", ["--max-steps", "3"]), deed("task", "rebuild", "last"), deed("task", "cancel", "last")],
  },
  {
    name: "memory",
    deeds: [
      deed("memory", "save", "architect", "Use SQLite", "--body", "one file, no server"),
      deed("memory", "save", "architect", "Use ESM", "--body", "no require"),
      deed("memory", "refresh", "--agent", "all"),
    ],
  },
  {
    name: "settings",
    deeds: [
      deed("init", "--share"),
      deed("config", "set", "log.level", "debug"),
      deed("config", "set", "log.level", "warn", "--project"),
      deed("permissions", "allow", "npm run lint"),
      deed("permissions", "forget", "npm run lint"),
      deed("trust", "--yes"),
    ],
  },
  {
    name: "knowledge",
    deeds: [
      deed("index"),
      {
        name: "history import",
        line: ({ base }) => Promise.resolve(["history", "import", path.join(base, "talk.jsonl"), "--name", "talk"]),
      },
      { name: "knowledge add", line: ({ base }) => Promise.resolve(["knowledge", "add", path.join(base, "note.md")]) },
      deed("knowledge", "rebuild"),
    ],
  },
  {
    name: "skills",
    deeds: [
      {
        name: "skill import",
        line: ({ base }) =>
          Promise.resolve([
            "skill",
            "import",
            path.join(base, "notes-write"),
            "--target",
            "claude,agents",
            "--yes",
            "--on-collision",
            "overwrite",
          ]),
      },
      deed("skill", "remove", "notes-write", "--yes"),
    ],
  },
];

const FILES = {
  "add.mjs": "export function add(a, b) {\n  return a - b;\n}\n",
  "list.txt": "one\ntwo\nthree\n",
  "old/name.txt": "moved\n",
  "check.mjs": 'import { add } from "./add.mjs";\nif (add(2, 3) !== 5) {\n  console.log("error: add is wrong");\n  process.exit(1);\n}\n',
};

const CALLS = [
  { name: "edit_file", input: { path: "add.mjs", find: "a - b", replace: "a + b" } },
  { name: "run_command", input: { command: "echo line >> log.txt" } },
  {
    name: "multi_edit",
    input: {
      edits: [
        { path: "list.txt", find: "two", replace: "zwei" },
        { path: "add.mjs", find: "export function", replace: "// adds\nexport function" },
      ],
    },
  },
  { name: "write_file", input: { path: "new/deep/file.txt", content: "made\n" } },
  { name: "move_file", input: { from: "old/name.txt", to: "new/name.txt" } },
  { name: "run_command", input: { command: "echo again >> log.txt" } },
  { name: "delete_file", input: { path: "list.txt" } },
  { name: "complete", input: { summary: "done" } },
];

const SKILL = `---
name: notes-write
description: Write release notes from merged changes. Use when a release is prepared and its notes are wanted.
---

# Write release notes

1. List what was merged since the last tag.
2. Group it by what users notice.
3. Write one line for each.
`;

function newPlace(): Place {
  const base = mkdtempSync(path.join(tmpdir(), "sylk-kills-"));
  const dir = path.join(base, "project");
  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  for (const [name, text] of Object.entries(FILES)) write(path.join(dir, name), text);
  write(path.join(base, "notes-write", "SKILL.md"), SKILL);
  write(path.join(base, "note.md"), "# A note\n\nThe cart rounds half up.\n");
  write(
    path.join(base, "talk.jsonl"),
    '{"id":"1","time":"2024-05-01T10:00:00Z","author":"a","text":"why does the cart round?"}\n{"id":"2","time":"2024-05-01T10:01:00Z","author":"b","text":"half up"}\n',
  );
  const rules = (calls: readonly object[]): string =>
    stringify({
      rules: calls.map((call, index) => ({
        when: { step: index + 1 === calls.length ? `>=${index + 1}` : index + 1 },
        answer: { text: `step ${index + 1}`, tool_calls: [call] },
      })),
    });
  write(path.join(base, "rules.yaml"), rules(CALLS));
  write(path.join(base, "asking.yaml"), rules([{ name: "ask_user", input: { question: "Which of them?" } }, ...CALLS]));
  const git = (...line: string[]): void =>
    void execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...line], { cwd: dir, stdio: "ignore" });
  git("init", "-q", ".");
  git("add", "-A");
  git("commit", "-qm", "begin");
  const env: Record<string, string> = { PATH: process.env["PATH"] ?? "", HOME: base, SYLK_HOME: path.join(base, "home") };
  const cache = process.env["NODE_COMPILE_CACHE"];
  return { base, dir, env: cache === undefined ? env : { ...env, NODE_COMPILE_CACHE: cache } };
}

function filesBelow(folder: string, isWanted: (name: string) => boolean): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .filter(isWanted)
    .toSorted();
}

/** What may not be left behind. */
const LEFTOVER = /\.tmp_|\.lock$|\/\.runs\/.|\.partial$/u;

function processesIn(base: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/u.test(pid) && readlinkSync(`/proc/${pid}/cwd`).startsWith(base);
    } catch {
      return false;
    }
  });
}

async function left({ base, dir }: Place): Promise<string[]> {
  // Whoever was orphaned by a kill of its parent alone may need a moment to end.
  for (let tries = 0; tries < 50 && processesIn(base).length > 0; tries += 1) await new Promise((resolve) => setTimeout(resolve, 100));
  const git = (...line: string[]): string[] => execFileSync("git", line, { cwd: dir, encoding: "utf8" }).split("\n").filter(Boolean);
  return [
    ...filesBelow(base, (name) => LEFTOVER.test(name)),
    ...git("worktree", "list").slice(1),
    ...git("branch", "--list", "sylk/*"),
    ...processesIn(base).map((pid) => `process ${pid}`),
  ];
}

/** What commands did: each at most once, and one that is missing was told to be cut off. */
async function commandsOf(place: Place, wanted: number | undefined): Promise<number> {
  const file = path.join(place.dir, "log.txt");
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  if (new Set(lines).size !== lines.length || wanted === undefined || lines.length >= wanted) return lines.length;
  const { out } = await run(place, ["journal", "export", "--stream", "task/"]);
  const cutOff = out.split("\n").filter((line) => line.includes('"cut_off"')).length;
  return lines.length + cutOff >= wanted ? wanted : lines.length;
}

/** A search may answer while the index is still taken up again, and says so. */
function settled(text: string): string {
  const { indexing: _, ...found } = JSON.parse(text) as Record<string, unknown>;
  return JSON.stringify(found);
}

/** What must be the same with and without kills. */
async function view(place: Place, story: Story, commands?: number): Promise<Record<string, unknown>> {
  const said = async (...line: string[]): Promise<string> => (await run(place, line)).out.replaceAll(place.base, "BASE");
  const project = Object.fromEntries(
    filesBelow(place.dir, (name) => !name.startsWith(".git/") && name !== "log.txt").map((name) => [
      name,
      readFileSync(path.join(place.dir, name), "utf8"),
    ]),
  );
  const verify = JSON.parse((await said("journal", "verify", "--json")).split("\n")[0] ?? "{}") as { valid?: boolean };
  const more: Record<string, string> = {};
  if (story.name === "memory")
    more["memory"] = (await said("memory", "show", "architect")).replaceAll(/\d{4}-\d\d-\d\d(T[\d:.]+Z)?|\d+ own tokens/gu, "…");
  if (story.name === "keys") more["keys"] = (await keys(place)).join(", ");
  if (story.name === "question") more["questions"] = (await questions(place)).map(({ status }) => status).join(", ");
  if (story.name === "settings") more["settings"] = await said("config", "list");
  if (story.name === "knowledge") more["found"] = settled(await said("search", "cart round", "--json"));
  return {
    project,
    commands: await commandsOf(place, commands),
    valid: verify.valid,
    statuses: (await tasks(place)).map(({ status }) => status),
    ...more,
  };
}

/** Done, done unverified, needs a person, budget reached. */
const FINE = [0, 3, 4, 5];

interface Baseline {
  view: Record<string, unknown>;
  durations: number[];
}

async function baselineOf(story: Story): Promise<Baseline> {
  const place = newPlace();
  try {
    const durations: number[] = [];
    for (const one of story.deeds) {
      const { code, err, tookMs } = await run(place, (await one.line(place)) ?? []);
      if (!FINE.includes(code ?? -1)) throw new Error(`${one.name} of "${story.name}" fails without any kill: exit ${code} ${err}`);
      durations.push(tookMs);
    }
    const trouble = await left(place);
    if (trouble.length > 0) throw new Error(`${story.name} leaves something without any kill: ${trouble.join(", ")}`);
    return { view: await view(place, story), durations };
  } finally {
    rmSync(place.base, { recursive: true, force: true, maxRetries: 5 });
  }
}

export interface Kills {
  kills: number;
  stories: number;
  /** Kills by what was killed. */
  by: Record<string, number>;
  /** Where something was lost, done twice or left behind. */
  wrong: string[];
}

const MOST_KILLS = 8;

async function killStory(story: Story, baseline: Baseline, told: Kills, random: Random, wanted: number): Promise<void> {
  const place = newPlace();
  const history: string[] = [];
  for (const [index, one] of story.deeds.entries()) {
    for (let lives = 0; ; lives += 1) {
      const line = await one.line(place);
      if (line === undefined) break;
      const isLast = lives >= MOST_KILLS || told.kills >= wanted;
      const within = (baseline.durations[index] as number) * (0.3 + 0.8 * random());
      const ended = await run(place, line, isLast ? undefined : within, random() < 0.75);
      history.push(
        `${line.slice(0, 2).join(" ")}: ${ended.killed ? `killed after ${Math.round(within)} ms` : `exit ${ended.code} ${ended.err.slice(-300)}`}`,
      );
      if (!ended.killed) break;
      told.kills += 1;
      told.by[one.name] = (told.by[one.name] ?? 0) + 1;
    }
  }
  told.stories += 1;
  const trouble = await left(place);
  const seen = await view(place, story, baseline.view["commands"] as number);
  const differs = Object.keys(baseline.view).filter((part) => !isDeepStrictEqual(seen[part], baseline.view[part]));
  if (trouble.length === 0 && differs.length === 0) return rmSync(place.base, { recursive: true, force: true, maxRetries: 5 });
  const detail = differs.map((part) => `${part}: ${JSON.stringify(seen[part])} instead of ${JSON.stringify(baseline.view[part])}`);
  told.wrong.push([`${story.name} (kept in ${place.base})`, ...trouble.map((what) => `left: ${what}`), ...detail, ...history].join("\n  "));
}

/** Stories in two lanes until there were as many kills as wanted. */
export async function killCommands(wanted: number, random: Random, onStory: (told: Kills) => void): Promise<Kills> {
  const told: Kills = { kills: 0, stories: 0, by: {}, wrong: [] };
  const baselines = new Map<Story, Baseline>();
  for (const story of STORIES) baselines.set(story, await baselineOf(story));
  let begun = 0;
  const lane = async (): Promise<void> => {
    while (told.kills < wanted) {
      const story = STORIES[begun++ % STORIES.length] as Story;
      await killStory(story, baselines.get(story) as Baseline, told, random, wanted);
      onStory(told);
    }
  };
  await Promise.all([lane(), lane()]);
  return told;
}
