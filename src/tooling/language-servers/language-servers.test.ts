/** Language servers that behave, and those that hang, die, flood, mumble and lie: a program of the test's own. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { stringify } from "yaml";
import { afterEach, expect, test } from "vitest";
import { systemClock, systemPaths } from "../../kernel/index.ts";
import { createSandbox } from "../../workspace/index.ts";
import { lookedAt } from "../../../test/support/looked-at.ts";
import { defaultSandboxPolicy } from "../../../test/support/sandbox-policy.ts";
import { putFiles, tempFolder } from "../../../test/support/temp-workspace.ts";
import { createLanguageServers, type LanguageServers } from "./language-servers.ts";

const FAKE = path.join(systemPaths.shipped("test"), "support/fake-language-server.mjs");
const never = new AbortController().signal;
const open: LanguageServers[] = [];
afterEach(async () => {
  for (const servers of open.splice(0)) await servers.close();
});

interface Lab {
  folder: string;
  servers: LanguageServers;
  /** Changes a file as a task would, and what is then said of it. */
  edit(file: string, text: string): ReturnType<LanguageServers["changed"]>;
  started(): number[];
}

function lab(how: string, options: { deadlineMs?: () => number; mode?: "off" | "sandboxed" | "always"; beside?: string } = {}): Lab {
  const folder = tempFolder("servers");
  const pids = path.join(folder, "pids");
  const row = (id: string, behaviour: string, beside: boolean) => ({
    id,
    category: "lsp",
    languages: ["fake"],
    extensions: [".fake"],
    binaries: ["node"],
    configs: ["fake.json"],
    beside,
    run: ["node", FAKE, behaviour, pids],
  });
  const rows = [row("fake", how, false), ...(options.beside === undefined ? [] : [row("style", options.beside, true)])];
  putFiles(folder, { "fake.json": "{}", "a.fake": "one\ntwo BAD\n", ".sylk/tools.yaml": stringify(rows), pids: "" });
  const sandbox = createSandbox({ policy: { ...defaultSandboxPolicy, mode: "off" }, home: folder, env: {}, clock: systemClock });
  const servers = createLanguageServers({
    env: process.env,
    clock: systemClock,
    sandbox: () => sandbox,
    mode: () => options.mode ?? "always",
    trusts: () => true,
    deadlineMs: options.deadlineMs ?? (() => 10_000),
  });
  open.push(servers);
  return {
    folder,
    servers,
    async edit(file, text) {
      await servers.changing(lookedAt(folder), [file]);
      writeFileSync(path.join(folder, file), text);
      return servers.changed(lookedAt(folder), [file], never);
    },
    started: () => readFileSync(pids, "utf8").trim().split("\n").filter(Boolean).map(Number),
  };
}

const lives = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test("FMT-030: one server is started for all edits, says only what they brought, and ends with its owner", async () => {
  const { edit, started, servers } = lab("well");
  const first = await edit("a.fake", "zero\none\ntwo BAD\nthree BAD\n");
  expect(first).toEqual({
    problems: [{ path: "a.fake", line: 4, severity: "error", message: "BAD is bad: three BAD", code: "bad" }],
    missing: [],
  });
  expect((await edit("a.fake", "two BAD\nthree BAD\n")).problems).toEqual([]);
  expect((await edit("b.fake", "new BAD\n")).problems).toMatchObject([{ path: "b.fake", line: 1 }]);
  expect(started()).toHaveLength(1);
  await servers.close();
  expect(started().filter(lives)).toEqual([]);
});

test("~FMT-028: without a file that speaks for it, or switched off, or where there is no sandbox, nothing is started", async () => {
  for (const mode of ["off", "sandboxed"] as const) {
    const { edit, started } = lab("well", { mode });
    expect((await edit("a.fake", "BAD\n")).problems).toEqual([]);
    expect(started()).toEqual([]);
  }
  const { folder, edit, started, servers } = lab("well");
  writeFileSync(path.join(folder, "x.txt"), "");
  expect(servers.endingsWith(folder, ["a.fake", "x.txt"])).toEqual([".fake"]);
  expect(await edit("x.txt", "BAD\n")).toEqual({ problems: [], missing: [] });
  expect(started()).toEqual([]);
});

test("FMT-029: two servers of one file are heard together, and what both say is said once", async () => {
  const { edit, started } = lab("well", { beside: "well" });
  expect((await edit("a.fake", "new BAD\n")).problems).toHaveLength(1);
  expect(started()).toHaveLength(2);
});

test.each(["hangs", "silent"])("a server that %s costs its deadline and is ended with the others", async (how) => {
  const { edit, servers, started } = lab(how, { deadlineMs: () => 150 });
  const late = await edit("a.fake", "BAD\n");
  expect(late).toEqual({ problems: [], missing: [{ server: "fake", why: "did not answer within 0.15 s" }] });
  await servers.close();
  expect(started().filter(lives)).toEqual([]);
});

test("what a server was too late to say of one edit is said with the next", async () => {
  const deadlines = [50, 10_000];
  const { edit } = lab("late", { deadlineMs: () => deadlines.shift() ?? 10_000 });
  expect(await edit("a.fake", "two BAD\nthree BAD\n")).toMatchObject({ problems: [], missing: [{ server: "fake" }] });
  expect((await edit("a.fake", "two BAD\nthree BAD\nfour BAD\n")).problems.map(({ line }) => line)).toEqual([2, 3]);
});

test.each(["dies", "dies-at-start", "floods", "mumbles"])(
  "a server that %s is left behind, named, and not started for ever",
  async (how) => {
    const { edit, started, servers } = lab(how);
    const seen: string[] = [];
    for (const text of ["BAD 1\n", "BAD 2\n", "BAD 3\n", "BAD 4\n"]) {
      const { problems, missing } = await edit("a.fake", text);
      expect(problems).toEqual([]);
      seen.push(...missing.map(({ server }) => server));
    }
    expect(seen).toContain("fake");
    await servers.close();
    expect(started().length).toBeLessThanOrEqual(3);
    expect(started().filter(lives)).toEqual([]);
  },
);

test("what a server says in no known shape is not believed, and a rename outside the folder is not made", async () => {
  const { edit, servers, folder } = lab("lies");
  expect((await edit("a.fake", "BAD\n")).problems).toHaveLength(1);
  const spot = { path: "a.fake", line: 1, name: "BAD" };
  expect(await servers.locate(lookedAt(folder), "definition", spot, never)).toMatchObject({ kind: "unknown" });
  expect(await servers.rename(lookedAt(folder), spot, "GOOD", never)).toMatchObject({
    kind: "unknown",
    reason: expect.stringContaining("cannot be changed"),
  });
});

test("a rename gives the whole text of each file; a name that is not in the line is said", async () => {
  const { servers, folder } = lab("well");
  expect(await servers.rename(lookedAt(folder), { path: "a.fake", line: 1, name: "one" }, "uno", never)).toEqual({
    kind: "renamed",
    server: "fake",
    files: [{ path: "a.fake", text: "uno\ntwo BAD\n" }],
  });
  expect(await servers.rename(lookedAt(folder), { path: "a.fake", line: 1, name: "nine" }, "x", never)).toMatchObject({ kind: "unknown" });
});
