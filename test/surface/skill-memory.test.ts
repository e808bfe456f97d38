/** `sylk skill` and `sylk memory`, through the real command. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../support/temp.ts";

const MAIN = path.join(import.meta.dirname, "../../src/surface/cli/main.ts");

function project(): { dir: string; sylk: (...args: string[]) => Promise<{ code: number; out: string; err: string }> } {
  const base = tempDir("sylk-cli");
  const dir = path.join(base, "project");
  mkdirSync(path.join(dir, ".sylk"), { recursive: true });
  const env = { PATH: process.env["PATH"], HOME: base, SYLK_HOME: path.join(base, "home"), NO_COLOR: "1" };
  return {
    dir,
    sylk: (...args) =>
      new Promise((resolve) => {
        execFile(process.execPath, [MAIN, ...args], { cwd: dir, env }, (error, out, err) =>
          resolve({ code: typeof error?.code === "number" ? error.code : 0, out, err }),
        );
      }),
  };
}

test(
  "SKF-005 SKF-008 SKF-011 SKF-012: create needs a yes, says its error code, and validate decides by its exit code",
  { timeout: 60_000 },
  async () => {
    const { dir, sylk } = project();
    const refused = await sylk("skill", "create", "write release notes", "--target", "agents");
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("nobody is here to approve it") as string });
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
  "SID-006 SID-009 GTR-002 BUD-004: memory is saved, shown, refreshed, restored and forgotten; a dry run writes nothing",
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
