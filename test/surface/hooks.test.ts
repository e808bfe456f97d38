/** `sylk hooks` through the real command. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { script, scriptedProject } from "../support/scripted-project.ts";
import { runSylk } from "../support/run-sylk.ts";

const group = (command: string, matcher?: string) => [
  { ...(matcher === undefined ? {} : { matcher }), hooks: [{ type: "command", command }] },
];

test("the user sees every hook, where it stands and why it does not count, and what it would do", { timeout: 60_000 }, async () => {
  const project = scriptedProject(
    { "a.txt": "a\n", ".sylk/hooks.json": JSON.stringify({ hooks: { Stop: group("make check") } }) },
    script([]),
  );
  const home = project.env["SYLK_HOME"] as string;
  mkdirSync(home, { recursive: true });
  const hooks = {
    PreToolUse: [
      ...group("grep -q hello && { echo 'no greetings' >&2; exit 2; }", "Bash"),
      ...group("exit 7", "Edit"),
      ...group("true", "("),
    ],
    Notification: group("true"),
  };
  writeFileSync(path.join(home, "config.yaml"), stringify({ hooks }));
  const sylk = (...args: string[]) => runSylk(project.dir, { ...project.env, NO_COLOR: "1" }, args);

  const list = await sylk("hooks", "list");
  expect(list.code).toBe(0);
  expect(list.out).toMatch(/^✓ PreToolUse {2}\[Bash\] {2}grep -q hello .*config\.yaml$/mu);
  expect(list.out).toMatch(/^– PreToolUse {2}\[\(\].*\n {4}does not count: its matcher is no regular expression$/mu);
  expect(list.out).toMatch(/^– Notification .*\n {4}does not count: there is no event Notification here/mu);
  expect(list.out).toMatch(/^– Stop {2}make check {2}\.sylk\/hooks\.json\n {4}does not count: not trusted.*sylk trust/mu);
  const json = JSON.parse((await sylk("hooks", "list", "--json")).out) as { hooks: unknown[] };
  expect(json.hooks).toContainEqual(expect.objectContaining({ event: "Stop", from: "project", counts: false }));

  const blocked = await sylk("hooks", "test", "PreToolUse", "--tool", "Bash");
  expect(blocked).toMatchObject({ code: 0, out: expect.stringMatching(/would say no: grep -q hello[^]*says: no greetings/u) as string });
  const failing = await sylk("hooks", "test", "PreToolUse", "--tool", "Edit");
  expect(failing).toMatchObject({ code: 1, out: expect.stringContaining("failed; the work would go on: exit 7") as string });
  expect((await sylk("hooks", "test", "Stop")).out).toContain("no hook that counts is for Stop");
  expect(await sylk("hooks", "test", "Stopp")).toMatchObject({ code: 2, err: expect.stringContaining("choose one of") as string });
});
