/** `sylk skill` and `sylk memory`, through the real command. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { project } from "./skill-memory.ts";

test(
  "SKF-005 SKF-008 SKF-011 ~SKF-012: create needs a yes, says its error code, and validate decides by its exit code",
  { timeout: 60_000 },
  async () => {
    const { dir, sylk } = project();
    const refused = await sylk("skill", "create", "write release notes", "--target", "agents");
    expect(refused).toMatchObject({ code: 4, err: expect.stringContaining("nobody is here to approve it") as string });
    expect(existsSync(path.join(dir, ".agents"))).toBe(false);
    const made = await sylk("skill", "resume", "--yes", "--json");
    expect(JSON.parse(made.out)).toMatchObject({ kind: "installed", name: "release-notes-write" });
    expect(await sylk("skill", "validate", ".agents/skills/release-notes-write")).toMatchObject({
      code: 0,
      out: expect.stringContaining("PASS") as string,
    });
    const again = await sylk("skill", "create", "write release notes", "--target", "agents", "--yes");
    expect(again.err).toMatch(/^ERROR \[E-CREATE-008\]: release-notes-write exists already/);
    writeFileSync(path.join(dir, ".agents/skills/release-notes-write/SKILL.md"), "nothing");
    expect(await sylk("skill", "validate", ".agents/skills/release-notes-write")).toMatchObject({ code: 1 });
    expect((await sylk("skill", "list")).out).toContain("drift: folder changed");
  },
);

test(
  "SID-006 SID-009 ~GTR-002 ~BUD-004: memory is saved, shown, refreshed, restored and forgotten; a dry run writes nothing",
  { timeout: 60_000 },
  async () => {
    const { dir, sylk } = project();
    writeFileSync(path.join(dir, "a.ts"), "export {};\n");
    const log = path.join(dir, ".sylk/memory/architect/decision-log.md");
    expect((await sylk("memory", "save", "architect", "Use SQLite", "--dry-run")).out).toContain("] Use SQLite");
    expect(existsSync(log)).toBe(false);
    await sylk("memory", "save", "architect", "Use SQLite", "--body", "one file");
    const first = readFileSync(log, "utf8");
    await sylk("memory", "save", "architect", "Second thought");
    const changes = JSON.parse((await sylk("memory", "log", "architect", "--json")).out) as { event: string }[];
    expect(await sylk("memory", "restore", "architect", "--at", changes[0]?.event ?? "")).toMatchObject({ code: 0 });
    expect(readFileSync(log, "utf8")).toBe(first);
    expect(await sylk("memory", "refresh", "--agent", "all")).toMatchObject({
      code: 0,
      out: expect.stringContaining("OK inspector: 1 facts (full)") as string,
    });
    expect(await sylk("memory", "refresh", "--agent", "nobody")).toMatchObject({
      code: 1,
      err: expect.stringContaining("one of inspector, architect") as string,
    });
    expect((await sylk("memory", "budget")).out).toContain("architect      tier 1");
    const date = /### \[([^\]]+)\]/.exec(first)?.[1];
    expect(await sylk("memory", "forget", `architect/${date}/Use SQLite`)).toMatchObject({ code: 0 });
    expect(readFileSync(log, "utf8")).not.toContain("Use SQLite");
    const secret = `ghp_${"aB3dE6gH9jK2mN5pQ8sT1vW4yZ7x".repeat(2).slice(0, 36)}`;
    expect(await sylk("memory", "save", "architect", "key", "--body", secret)).toMatchObject({ code: 2 });
    expect(readFileSync(log, "utf8")).not.toContain(secret);
  },
);

test("~SKF-001: E-CREATE-009: a folder this user may not write to is refused before anything starts", { timeout: 60_000 }, async () => {
  const { dir, sylk } = project();
  mkdirSync(path.join(dir, ".claude"));
  // The superuser may write anywhere but into a file that stands where a folder belongs.
  const root = process.getuid?.() === 0;
  if (root) writeFileSync(path.join(dir, ".claude/skills"), "");
  else chmodSync(path.join(dir, ".claude"), 0o555);
  const refused = await sylk("skill", "create", "write release notes", "--target", "claude,agents", "--yes");
  chmodSync(path.join(dir, ".claude"), 0o755);
  expect(refused).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^ERROR \[E-CREATE-009\]: .*\.claude\/skills cannot be written to/) as string,
  });
  expect(readdirSync(path.join(dir, ".claude"))).toEqual(root ? ["skills"] : []);
  expect(existsSync(path.join(dir, ".agents"))).toBe(false);
  expect(JSON.parse((await sylk("skill", "resume", "--list", "--json")).out)).toEqual([]);
});

test(
  "SKF-011 SKF-018: the example of the help works on a machine without any coding CLI; every writing command has a dry run",
  { timeout: 90_000 },
  async () => {
    const { dir, sylk } = project();
    const env = ["--no-model", "--json"];
    const shown = await sylk("skill", "create", "review SQL migrations for locking problems", "--dry-run", ...env);
    expect(JSON.parse(shown.out)).toMatchObject({ kind: "shown", targets: ["agents"], diff: "" });
    expect(existsSync(path.join(dir, ".agents"))).toBe(false);
    const made = await sylk("skill", "create", "review SQL migrations for locking problems", "--yes", ...env);
    expect(JSON.parse(made.out)).toMatchObject({ kind: "installed", folders: [{ target: "agents" }] });
    const name = "sql-migrations-locking-review";
    const file = path.join(dir, ".agents/skills", name, "SKILL.md");
    const before = readFileSync(file, "utf8");
    const update = await sylk("skill", "update", name, "Check index creation too", "--dry-run", "--no-model");
    expect(update.out).toContain(`--- a/.agents/skills/${name}/SKILL.md\n+++ b/.agents/skills/${name}/SKILL.md\n@@ `);
    expect(update.out).toContain("\n+## How to check index creation too\n");
    expect((await sylk("skill", "remove", name, "--dry-run")).out).toContain(path.dirname(file));
    expect(readFileSync(file, "utf8")).toBe(before);
    await sylk("skill", "create", "write release notes");
    expect((await sylk("skill", "resume", "--dry-run")).out).toContain("would go to: agents");
    expect((await sylk("skill", "resume", "--discard", "--dry-run")).out).toContain("would be dropped");
    expect(JSON.parse((await sylk("skill", "resume", "--list", "--json")).out)).toHaveLength(1);
  },
);

test(
  "EFF-042 EFF-060 ~EFF-062 EFF-063: preferences and mistakes are shown, set and forgotten; a dry run keeps nothing",
  { timeout: 90_000 },
  async () => {
    const { dir, sylk } = project();
    const preferences = async (...args: string[]) => JSON.parse((await sylk("memory", "preferences", ...args, "--json")).out) as unknown;
    expect(await preferences("--set", "ui.theme=dark", "--accepted", "tools.runner=vitest", "--dry-run")).toMatchObject({
      explicit: { "ui.theme": "dark" },
      implicit: { "tools.runner": { value: "vitest", confidence: 0.6 } },
    });
    expect(await preferences()).toEqual({ explicit: {}, implicit: {}, resolved: {} });
    await preferences("--set", "ui.theme=dark", "--accepted", "tools.runner=vitest");
    expect(await preferences("ui")).toEqual({ explicit: { "ui.theme": "dark" }, implicit: {}, resolved: { "ui.theme": "dark" } });
    expect(await preferences("all")).toMatchObject({ resolved: { "ui.theme": "dark", "tools.runner": "vitest" } });
    expect(await sylk("memory", "preferences", "moon")).toMatchObject({ code: 2 });
    expect(await sylk("memory", "preferences", "--set", "moon.phase=full")).toMatchObject({ code: 2 });
    const mistake = ["memory", "mistakes", "--report", "mocking the driver", "--error", "it breaks", "--fix", "a real one"];
    expect((await sylk(...mistake, "--dry-run")).out).toBe("would be recorded as a new one\n");
    expect((await sylk("memory", "mistakes")).out).toBe("no known issue\n");
    const { id } = JSON.parse((await sylk(...mistake, "--json")).out) as { id: string };
    expect((await sylk(...mistake, "--dry-run")).out).toBe(`would be counted as seen again: ${id}\n`);
    expect((await sylk("memory", "mistakes")).out).toContain("1×, 0.7");
    expect(await sylk("memory", "forget", `mistake:${id}`, "--dry-run")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^would be forgotten: .*nothing was changed/) as string,
    });
    expect((await sylk("memory", "forget", `mistake:${id}`)).code).toBe(0);
    expect((await sylk("memory", "mistakes")).out).toBe("no known issue\n");
    const log = path.join(dir, ".sylk/memory/architect/decision-log.md");
    await sylk("memory", "save", "architect", "Old", "--status", "superseded");
    const saved = readFileSync(log, "utf8");
    const report = JSON.parse((await sylk("memory", "hygiene", "--json")).out) as { archival: { id: string }[] };
    const apply = ["memory", "hygiene", "--apply", report.archival[0]?.id ?? ""];
    expect((await sylk(...apply, "--dry-run")).out).toContain("would be archived:");
    expect(readFileSync(log, "utf8")).toBe(saved);
    expect((await sylk(...apply)).out).toBe("1 archived\n");
    expect(readFileSync(log, "utf8")).not.toContain("Old");
  },
);

test("~SID-005: the same entry saved again, as after a kill, is there once; another of the same title is another", async () => {
  const { sylk } = project();
  const save = async (...more: string[]) => (await sylk("memory", "save", "architect", "Use SQLite", ...more)).out;
  expect(await save("--body", "one file")).toContain("saved to architect's log");
  expect(await save("--body", "one file")).toContain("already in architect's log");
  expect(await save()).toContain("saved to architect's log");
  expect(await save("--body", "one file, no server")).toContain("saved to architect's log");
  expect((await sylk("memory", "show", "architect")).out.match(/ Use SQLite$/gm)).toHaveLength(3);
});
