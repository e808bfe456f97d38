/** Words people type: help for a command, mistyped words, parts of ids, and what the command says next. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { Command } from "commander";
import { expect, test } from "vitest";
import type { CliContext } from "../../src/surface/cli/command.ts";
import { COMMANDS } from "../../src/surface/cli/command-table.ts";
import { script, scriptedProject, type ScriptedProject } from "../support/scripted-project.ts";
import { runSylk } from "../support/run-sylk.ts";

const done = { name: "complete", input: { summary: "done" } };

type Run = { code: number; out: string; err: string };

function at(project: Pick<ScriptedProject, "dir" | "env">): (...args: string[]) => Promise<Run> {
  const env = { ...project.env, NO_COLOR: "1" };
  return (...args) => runSylk(project.dir, env, args);
}

const ids = (text: string): string[] => text.match(/\b[a-z]+_[0-9a-z]{26}\b/g) ?? [];

test(
  "help shows the command that was named, to any depth; what was mistyped is told with what was probably meant",
  { timeout: 60_000 },
  async () => {
    const sylk = at(scriptedProject({ "a.txt": "a" }, script([done])));
    expect((await sylk("help", "task", "start")).out).toContain("Usage: sylk task start [options] [goal...]");
    expect((await sylk("help", "task")).out).toContain("Usage: sylk task [options] [command]");
    const said = async (...args: string[]): Promise<[number, string]> => {
      const { code, err } = await sylk(...args);
      return [code, err];
    };
    expect(await said("taks", "list")).toEqual([
      2,
      "error: there is no command `taks`\n  fix: did you mean `sylk task`? `sylk help` lists all\n",
    ]);
    expect(await said("")).toEqual([2, expect.stringMatching(/^error: nothing was said\n {2}fix: say what you want: /u)]);
    expect(await said("xyzzy")).toEqual([2, "error: there is no command `xyzzy`\n  fix: `sylk help` lists the commands\n"]);
    expect(await said("help", "task", "strat")).toEqual([2, "error: task has no command `strat`\n  fix: did you mean `task start`?\n"]);
    expect(await said("--jsn", "doctor")).toEqual([2, "error: there is no option --jsn\n  fix: did you mean --json?\n"]);
    expect(await said("task", "strat")).toEqual([2, "error: unknown command 'strat'\n  fix: did you mean start?\n"]);
    expect(await said("task", "start", "--chek", "x")).toEqual([2, "error: unknown option '--chek'\n  fix: did you mean --check?\n"]);
    expect((await said("task", "bogus"))[1]).toMatch(/^error: unknown command 'bogus'\n {2}fix: one of start, /u);
    expect(await said("completion")).toEqual([2, expect.stringMatching(/no shell was named\n {2}fix: .*bash, zsh/u)]);
    expect(await said("search", "x", "--bogus")).toEqual([
      2,
      "error: unknown option '--bogus'\n  fix: `sylk search --help` shows what there is\n",
    ]);
    expect((await said("x".repeat(100_000)))[1].length).toBeLessThan(400);
    expect((await sylk("config", "get", "llm.defualt_model")).err).toContain("did you mean llm.default_model?");
    const json = await sylk("task", "strat", "--json");
    expect(JSON.parse(json.out)).toMatchObject({ type: "error", error: { code: "USAGE" } });
  },
);

test(
  "what is wrong with a task's words is told before its model, and a model nobody knows as what it is",
  { timeout: 60_000 },
  async () => {
    const project = scriptedProject({ "a.txt": "a" }, script([done]));
    const sylk = at(project);
    expect(await sylk("task", "start", "")).toMatchObject({ code: 2, err: expect.stringContaining("a task needs a goal") as string });
    const unknown = await sylk("task", "start", "go", "-m", "nope/foo");
    expect([unknown.code, (await sylk("task", "start", "go")).code]).toEqual([52, 41]);
    expect(unknown.err).toContain("providers: ");
    const bare = project.rules.replace("scripted/", "");
    expect((await sylk("task", "start", "go", "-m", bare)).err).toContain(`scripted/${bare}`);
  },
);

test("the README names every command once, links each document once, and says how a model is named", async () => {
  const readme = readFileSync("README.md", "utf8");
  const table = readme.split("| word | for |")[1]?.split("\n\n")[0] ?? "";
  const named = table.split("\n").flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map((found) => found[1]));
  expect(new Set(named)).toEqual(new Set(COMMANDS.map(({ name }) => name)));
  expect(named).toHaveLength(COMMANDS.length);
  const links = [...readme.matchAll(/^- \[(docs\/[^\]]+)\]/gm)].map((found) => found[1]);
  expect(links).toEqual([...new Set(links)]);
  // Whoever has no key yet is told first how to give one.
  expect(readme.indexOf("sylk auth login")).toBeLessThan(readme.search(/^\$ \.\/sylk "/m));
  const first = await at(scriptedProject({ "a.txt": "a" }, script([done])))();
  expect(first.out).toMatch(/sylk auth login[^]*sylk "make/);
});

test("a mistyped rule file or provider fails before there is a task", { timeout: 60_000 }, async () => {
  const sylk = at(scriptedProject({ "a.txt": "a" }, script([done])));
  expect((await sylk("task", "start", "go", "-m", "scripted/nothere.yaml")).err).toContain("cannot read rule file");
  expect((await sylk("task", "start", "go", "-m", "replay/nothere.yaml")).err).toContain("nothere.yaml");
  expect((await sylk("task", "start", "go", "-m", "anthropc/some-model")).code).not.toBe(0);
  expect(JSON.parse((await sylk("task", "list", "--json")).out)).toEqual([]);
});

test("a task goes on with another model, and its calls are counted alike everywhere", { timeout: 90_000 }, async () => {
  const project = scriptedProject(
    { "other.yaml": script([done]) },
    // Words without an action: each step asks a second time, then a person is needed.
    "rules:\n  - answer: { text: hm }\n",
  );
  const sylk = at(project);
  const stuck = await sylk("task", "start", "go", "--type", "discover", "-m", project.rules);
  expect(stuck.code).toBe(4);
  const shown = JSON.parse((await sylk("task", "show", "last", "--json")).out) as { id: string; usage: { calls: number; input: number } };
  expect(shown.usage.calls).toBe(6);
  const short = shown.id.slice(-8);
  const usage = JSON.parse((await sylk("usage", "--task", short, "--json")).out) as { total: { calls: number; input_tokens: number } };
  expect(usage.total).toMatchObject({ calls: shown.usage.calls, input_tokens: shown.usage.input });
  expect((await sylk("usage", "--by", "task")).out).toContain(short);
  expect((await sylk("task", "resume", short, "-m", "scripted/nothere.yaml")).err).toContain("cannot read rule file");
  const resumed = await sylk("task", "resume", short, "-m", "scripted/other.yaml");
  expect(resumed.code).toBe(3);
  expect(JSON.parse((await sylk("task", "show", "last", "--json")).out)).toMatchObject({
    model: "scripted/other.yaml",
    usage: { calls: 7 },
  });
  expect((await sylk("task", "context", short)).out).toMatch(/^=== step 4: system ===/);
  expect((await sylk("task", "context", short, "--step", "1")).out).toMatch(/^=== step 1: system ===/);
});

test("the tail shows what happened, not who permitted it; ids are short, and a part of one is enough", { timeout: 90_000 }, async () => {
  const project = scriptedProject({ "a.txt": "a" }, script([{ name: "read_file", input: { path: "a.txt" } }, done]));
  const sylk = at(project);
  await sylk("task", "start", "go", "--type", "discover", "-m", project.rules);
  const { out } = await sylk("journal", "tail", "-n", "50");
  expect(out).toContain("task.created");
  expect(out).not.toContain("audit.");
  expect(ids(out)).toEqual([]);
  const all = await sylk("journal", "tail", "-n", "50", "--all");
  expect(all.out).toContain("audit.");
  expect((await sylk("journal", "tail", "--type", "audit.recorded", "-n", "5")).out).toContain("audit.recorded");
  const lines = (await sylk("journal", "tail", "-n", "50", "--json")).out.trim().split("\n");
  const event = JSON.parse(lines[0] ?? "") as { id: string; stream: string };
  expect(JSON.parse((await sylk("journal", "show", event.id.slice(-8), "--json")).out)).toMatchObject({ id: event.id });
  expect((await sylk("journal", "show", event.id.slice(0, 9))).err).toContain("could be several events");
  const short = (JSON.parse((await sylk("task", "list", "--json")).out) as { id: string }[])[0]?.id.slice(-8) ?? "";
  expect((await sylk("journal", "tail", "--stream", `task/${short}`)).out).toContain("task.created");
  expect((await sylk("audit", "query", "--task", short, "--json")).out).not.toBe("");
  await sylk("memory", "save", "architect", "One");
  await sylk("memory", "save", "architect", "Two");
  const change = /^(\S{8}) {2}/.exec((await sylk("memory", "log", "architect")).out)?.[1] ?? "";
  expect((await sylk("memory", "restore", "architect", "--at", change)).code).toBe(0);
  expect((await sylk("memory", "load", "architect")).out).not.toContain("Two");
});

test("resume without an id takes the newest task that waits, not one that has ended", { timeout: 90_000 }, async () => {
  const project = scriptedProject({ "a.txt": "a" }, script([done]));
  const sylk = at(project);
  const start = ["task", "start", "--no-checks", "-m", project.rules];
  const waits = (await sylk(...start, "--detach", "the older one")).out.trim();
  expect((await sylk(...start, "the newer one")).code).toBe(3);
  expect(JSON.parse((await sylk("task", "show", "--json")).out)).toMatchObject({ goal: "the newer one", status: "complete" });
  expect((await sylk("task", "resume")).err).toContain(waits);
  expect(JSON.parse((await sylk("task", "show", waits, "--json")).out)).toMatchObject({ status: "complete" });
  // Nothing waits any more: the newest says how it ended.
  expect((await sylk("task", "resume")).out).toContain("finished, not verified");
});

test("a task in a tree of its own says what to do with it", { timeout: 60_000 }, async () => {
  const project = scriptedProject(
    { "a.txt": "one\n" },
    script([{ name: "edit_file", input: { path: "a.txt", find: "one", replace: "two" } }, done]),
  );
  const sylk = at(project);
  const commit = ["-c", "user.email=a@example.com", "-c", "user.name=a", "commit", "-qm", "first"];
  for (const args of [["add", "."], commit]) await new Promise((resolve) => execFile("git", args, { cwd: project.dir }, resolve));
  const ran = await sylk("task", "start", "change it", "-w", "--no-checks", "-m", project.rules);
  const short = /sylk task diff (\S+)/.exec(ran.out)?.[1] ?? "";
  expect(ran.out).toContain(`sylk task merge ${short}`);
  expect((await sylk("task", "diff", short)).out).toContain("+two");
  expect((await sylk("task", "merge", short)).code).toBe(0);
});

test("help begins with what people say most and groups the words by what is done with them", async () => {
  const { out } = await at(scriptedProject({ "a.txt": "a" }, script([done])))("--help");
  expect(out).toMatch(/^Usage: [\s\S]*\n {2}sylk "…" +one verified task[\s\S]*\nSay what you want:\n {2}run +from a sentence/u);
  expect(out).toMatch(/\nExit codes:\n {2}0 +done and verified, or answered\n[\s\S]*\n {2}41 +not signed in\n/u);
  expect(out.match(/^(?!Options|Short|Exit codes|Examples)\S.*:$/gmu)).toEqual([
    "Say what you want:",
    "See how it stands:",
    "Set it up:",
    "Find out about the project:",
    "What agents may do, know and use:",
    "What happened, and what it cost:",
    "Around it:",
  ]);
});

test("D18: the help of every word names the options that work everywhere and shows examples that can be typed", async () => {
  const sylk = at(scriptedProject({ "a.txt": "a" }, script([done])));
  const wrong: string[] = [];
  for (const { name, load } of COMMANDS) {
    const probe = new Command(name);
    (await load()).command.build(probe, { out: {}, commands: COMMANDS } as unknown as CliContext);
    for (const one of [probe, ...probe.commands]) {
      const words = one === probe ? [name] : [name, one.name()];
      const { out } = await sylk("help", ...words);
      if (!out.includes("--permission-mode <mode>")) wrong.push(`${words.join(" ")}: options`);
      const typed = [...out.matchAll(/^ {2}\$ (.*)$/gm)].map((found) => found[1] ?? "");
      if (typed.length === 0) wrong.push(`${words.join(" ")}: no example`);
      for (const line of typed.filter((text) => one !== probe && text.startsWith(`sylk ${words.join(" ")}`))) {
        // What follows `--` is one argument, however many words it has.
        const told = line.replace(/ [<>#].*$/, "").replace(/ -- .*$/, ' "…"');
        const parts = (told.match(/"[^"]*"|\$\([^)]*\)|\S+/g) ?? []).slice(3);
        const flags = parts.filter((part) => part.startsWith("-"));
        const known = [...one.options.flatMap(({ long, short }) => [long, short]), "--json", "--permission-mode", "-m"];
        const taking = flags.filter(
          (flag) => one.options.find((option) => [option.long, option.short].includes(flag))?.required ?? flag === "--permission-mode",
        );
        const given = parts.length - flags.length - taking.length;
        const [needs, takes] = [one.registeredArguments.filter(({ required }) => required).length, one.registeredArguments.length];
        if (flags.some((flag) => !known.includes(flag)) || given < needs || given > takes) wrong.push(line);
      }
    }
  }
  expect(wrong).toEqual([]);
}, 120_000);
