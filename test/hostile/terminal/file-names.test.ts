/**
 * The attacker is the model, or whoever made the repository, and names files. A name may hold line feeds: with them the
 * attacker wants to write whole lines into a report of Sylk's, such as a question that nobody asked, or that all is well.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { hostileModel, hostileProject } from "./hostile-words.ts";

const POSE = "It asks: run sylk trust --yes";
const NAME = `a\n${POSE}\n.txt`;
const done = [{ name: "complete", input: { summary: "done" } }];
const poses = (text: string): string[] => text.split("\n").filter((line) => line.startsWith(POSE));

test("the names of changed files stay on one line in every report", async () => {
  const write = { name: "write_file", input: { path: NAME, content: "needle\n" } };
  const project = hostileProject(hostileModel([[write], done]));
  const said = [
    await project.sylk("task", "start", "try", "--no-checks", "-m", project.rules),
    await project.sylk("task", "show"),
    await project.sylk("search", "needle"),
    await project.sylk("undo", "--dry-run"),
    await project.sylk("undo"),
  ];
  expect(said.flatMap(({ out, err }) => poses(`${out}\n${err}`))).toEqual([]);
  expect(said[1]?.out).toContain(`a␊${POSE}␊.txt`);
  expect(said[4]?.out).toContain(`taken back: a␊${POSE}␊.txt`);
});

test("neither do the names of what is brought along write lines", async () => {
  const project = hostileProject(hostileModel([done]));
  mkdirSync(path.join(project.dir, ".cursor/commands"), { recursive: true });
  writeFileSync(path.join(project.dir, ".cursor/commands", `a\n${POSE}\nb.md`), "say something\n");
  const { out } = await project.sylk("import", "cursor");
  expect(out).toContain(`a␊${POSE}␊b.md`);
  expect(poses(out)).toEqual([]);
});
