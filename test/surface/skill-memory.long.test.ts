/** `skill-memory.test.ts` goes on here with what takes longer. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { project } from "./skill-memory.ts";

test(
  "SID-003 SID-004 SID-006 XRF-001: whatever is wrong with memory files is told in a line, and no byte of them is lost",
  { timeout: 90_000 },
  async () => {
    const { dir, sylk } = project();
    const put = (name: string, data: string | Buffer): string => {
      const file = path.join(dir, ".sylk/memory", name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, data);
      return file;
    };
    // No config: the defaults hold.
    expect(await sylk("memory", "load", "architect")).toMatchObject({ code: 0 });
    expect(await sylk("memory", "show")).toMatchObject({ code: 0, out: "no agent remembers anything yet\n" });

    const entry = "### [2026-01-01] Old\n\n- Agent: inspector\n- Status: active\n\nwords\n\n";
    const big = put("inspector/decision-log.md", entry.repeat(Math.ceil(10_000_000 / entry.length)));
    const before = readFileSync(big);
    const waits = await sylk("memory", "load", "inspector");
    expect(waits.out).not.toContain("Old");
    expect(waits.err).toContain("this folder brings 1 memory of agents");
    expect(await sylk("trust", "--yes")).toMatchObject({ code: 0 });
    expect((await sylk("memory", "load", "inspector")).out.match(/ Old$/gm)).toHaveLength(20);
    expect((await sylk("memory", "save", "inspector", "New")).out).toContain("of 300000 tokens");
    expect(readFileSync(big).subarray(0, before.length).equals(before)).toBe(true);

    const garbage = Buffer.from(Array.from({ length: 5_000 }, (_v, i) => (i * 7_919) % 256));
    const log = put("tester/decision-log.md", garbage);
    expect((await sylk("memory", "load", "tester")).out).toContain("partly not text");
    expect(await sylk("memory", "save", "tester", "After garbage")).toMatchObject({ code: 0 });
    expect(readFileSync(log).subarray(0, garbage.length).equals(garbage)).toBe(true);
    expect((await sylk("memory", "load", "tester")).out).toContain("] After garbage");

    expect(await sylk("memory", "load", "moon")).toMatchObject({
      code: 1,
      err: expect.stringContaining("one of inspector, tester") as string,
    });
    expect(await sylk("memory", "save", "../../x", "out")).toMatchObject({ code: 1 });
    put("config.yaml", "cross_references: { guide: { reads_from: [{ agent: guide }] } }\n");
    expect(await sylk("memory", "load", "guide")).toMatchObject({
      code: 52,
      err: expect.stringContaining("guide refers to itself") as string,
    });
    put("config.yaml", "tiers: [");
    const broken = await sylk("memory", "load", "guide");
    expect(broken).toMatchObject({ code: 52, err: expect.stringContaining("config.yaml") as string });
    expect(broken.err.trim().split("\n")).toHaveLength(2);
  },
);
