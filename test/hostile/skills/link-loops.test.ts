/**
 * The attacker has: a skill that the victim looks at or takes over. He wants: Sylk kept busy until the memory is gone,
 * by links that lead round and round, or files from elsewhere inside the skill.
 */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { repository, victim } from "../support.ts";

const SKILL = "---\nname: notes-write\ndescription: Writes notes. Use when notes are wanted.\n---\n\nWrite notes.\n";

test("links to folders above are not followed, whichever command reads the skill; nor are links to files elsewhere", async () => {
  const { base, sylk, outside } = victim();
  writeFileSync(path.join(outside, "secret.md"), "PELICAN\n");
  const folder = repository(base, { "a.md": "x" });
  const skill = path.join(base, "skill/notes-write");
  mkdirSync(path.join(skill, "references/deep"), { recursive: true });
  writeFileSync(path.join(skill, "SKILL.md"), SKILL);
  writeFileSync(path.join(skill, "references/one.md"), "one\n");
  for (const name of ["a", "b", "c", "d"]) symlinkSync(base, path.join(skill, "references/deep", name));
  symlinkSync(path.join(outside, "secret.md"), path.join(skill, "references/two.md"));

  expect(await sylk(folder, "skill", "validate", skill)).toMatchObject({ code: 0 });
  expect(await sylk(folder, "skill", "import", skill, "--yes", "--target", "claude")).toMatchObject({ code: 0 });
  const placed = path.join(folder, ".claude/skills/notes-write/references");
  expect(readFileSync(path.join(placed, "one.md"), "utf8")).toBe("one\n");
  expect(() => readFileSync(path.join(placed, "two.md"))).toThrow(/ENOENT/u);

  for (const name of ["a", "b"]) symlinkSync(base, path.join(placed, name));
  expect(await sylk(folder, "skill", "list")).toMatchObject({ code: 0 });
  const drawn = await sylk(folder, "skill", "extract", skill, "--yes", "--dry-run", "--no-model");
  expect({ code: drawn.code, err: drawn.err }).toEqual({ code: 0, err: expect.any(String) as string });
  expect(drawn.out).not.toContain("PELICAN");
});
