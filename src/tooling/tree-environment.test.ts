import { expect, test } from "vitest";
import { treeEnvironment } from "./tree-environment.ts";

test("a tree has its name and a block of ten ports, always the same; the project's own folder has none", () => {
  const of = (tree: string): Record<string, string> => treeEnvironment({ kind: "tree", tree, folder: "/x" });
  expect(treeEnvironment({ kind: "project", folder: "." })).toEqual({});
  expect(of("team_1")).toEqual(of("team_1"));
  expect(of("team_1")["SYLK_WORKTREE"]).toBe("team_1");
  const bases = Array.from({ length: 50 }, (_value, index) => Number(of(`team_${index}`)["SYLK_PORT_BASE"]));
  expect(new Set(bases).size).toBeGreaterThan(45);
  for (const base of bases) expect([base % 10, base >= 20_000, base + 9 < 32_768]).toEqual([0, true, true]);
});
