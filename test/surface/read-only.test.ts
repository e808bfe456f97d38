/** The whole machine is read-only to these commands, as with a mounted backup or an image. */
import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { expect, test } from "vitest";
import { leftOut, notInstalled } from "../support/installed.ts";
import type { WarmAnswer } from "../support/run-sylk.ts";
import { script, scriptedProject, type ScriptedProject } from "../support/scripted-project.ts";

/** One process that has the command loaded, and may not write to a folder. */
function startReadOnly({ dir, env }: ScriptedProject, folder: string): Disposable & { say(...line: string[]): Promise<WarmAnswer> } {
  const around = ["--bind", "/", "/", "--ro-bind", folder, folder, "--dev", "/dev", "--proc", "/proc", process.execPath];
  const child = fork(path.resolve("test/support/warm-sylk.ts"), { execPath: "bwrap", execArgv: around });
  return {
    async say(...line) {
      child.send({ args: line, cwd: dir, env });
      const [answer] = (await once(child, "message")) as [WarmAnswer];
      return answer;
    },
    [Symbol.dispose]: () => void child.kill("SIGKILL"),
  };
}

const noProgram = notInstalled(["bwrap"]);
const NOTE = /^note: .* is read-only: what is there can be read, nothing can be kept$/gmu;

test.skipIf(noProgram !== "")(
  `V14: where nothing can be written what is there is read, it is said once that nothing is kept, and work is refused${leftOut(noProgram)}`,
  async () => {
    const project = scriptedProject(
      { "cart.ts": "export function cartTotal() {\n  return 1;\n}\n" },
      script([
        { name: "write_file", input: { path: "new.txt", content: "new\n" } },
        { name: "complete", input: { summary: "done" } },
      ]),
    );
    const app = await project.open();
    const start = { goal: "make it", type: "implement_feature", role: "engineer", criteria: [], constraints: [], checks: ["true"] };
    const id = await app.tasks.start({ ...start, model: project.rules, profile: "minimal" });
    const { signal } = new AbortController();
    await app.tasks.run(id, () => undefined, signal);
    await app.api.send({ type: "knowledge.index" }, signal);
    using here = startReadOnly(project, "/");
    // The newest events stand in the write-ahead log only, as after a kill.
    const open = await here.say("task", "list");
    expect(open).toMatchObject({ code: 0, out: expect.stringContaining("make it") as string });
    await app.close();
    const said = {
      list: await here.say("task", "list"),
      show: await here.say("task", "show", "last"),
      diff: await here.say("task", "diff", "last"),
      verify: await here.say("journal", "verify"),
      search: await here.say("search", "cartTotal"),
    };
    expect(Object.values(said).map(({ code, err }) => ({ code, notes: err.match(NOTE)?.length }))).toEqual(
      Object.values(said).map(() => ({ code: 0, notes: 1 })),
    );
    expect(said.list.out).toContain("make it");
    expect(said.show.out).toContain(id);
    expect(said.diff.out).toContain("+new");
    expect(said.verify.out).toContain("verify");
    expect(said.search.out).toContain("cart.ts");
    const set = await here.say("config", "set", "log.level", "debug", "--project");
    expect(set).toMatchObject({
      code: 1,
      err: expect.stringMatching(/cannot write .*: the file system is read-only\n\s+fix: /u) as string,
    });
    const refused = await here.say("task", "start", "more", "-m", project.rules, "--type", "discover");
    expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/nothing can be kept in .*\n\s+fix: /u) as string });
  },
);

test.skipIf(noProgram !== "")(
  `a task that changes files is refused in a folder that cannot be written to; one that reads is not${leftOut(noProgram)}`,
  async () => {
    const project = scriptedProject({ "a.txt": "x\n" }, script([{ name: "complete", input: { summary: "seen" } }]));
    execFileSync("git", ["add", "-A"], { cwd: project.dir });
    using here = startReadOnly(project, project.dir);
    const start = (...more: string[]) => here.say("task", "start", "look around", "-m", project.rules, "--no-checks", ...more);
    expect(await start()).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringMatching(/cannot be written to.*\n\s+fix: .*discover/u) as string,
    });
    expect((await here.say("usage", "--json")).out).not.toContain("scripted");
    expect((await start("--type", "discover")).out).toContain("seen");
    expect(await start("-w")).toMatchObject({
      code: 1,
      err: expect.stringMatching(/cannot write .*: the file system is read-only\n\s+fix: /u) as string,
    });
  },
);
