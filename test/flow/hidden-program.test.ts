/** A tool of the user's that the sandbox does not show: a check that needs it says where it is and which setting shows it. */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { runSylk } from "../support/run-sylk.ts";
import { NO_SANDBOX } from "../support/sandboxed.ts";
import { script, scriptedProject } from "../support/scripted-project.ts";

vi.setConfig({ testTimeout: 120_000 });

test.skipIf(NO_SANDBOX !== undefined)(
  "a check whose program stands behind a link that leads out of the sandbox says so, and runs once its folder is shown",
  async () => {
    const here = scriptedProject({ "a.txt": "a\n" }, script([{ name: "complete", input: { summary: "x" } }]));
    const [bin, store] = ["bin", "store"].map((name) => path.join(here.base, name)) as [string, string];
    for (const dir of [bin, store]) mkdirSync(dir);
    writeFileSync(path.join(store, "mytool"), "#!/bin/sh\necho fine\n");
    chmodSync(path.join(store, "mytool"), 0o755);
    symlinkSync(path.join(store, "mytool"), path.join(bin, "mytool"));
    const env = { ...here.env, PATH: `${bin}:${here.env["PATH"] ?? ""}`, NO_COLOR: "1" };
    const run = () => runSylk(here.dir, env, ["exec", "look", "--check", "mytool && true", "-m", here.rules]);
    const without = await run();
    expect(without.out + without.err).toContain(
      `mytool was not found inside the sandbox, though it is there outside: ${path.join(bin, "mytool")}`,
    );
    expect((await runSylk(here.dir, env, ["config", "set", "security.sandbox.writable", `["${store}"]`])).code).toBe(0);
    const shown = await run();
    expect(shown.out + shown.err).not.toContain("not found inside the sandbox");
  },
);
