/** A Sylk that is killed leaves no language server behind, not even one that ignores every signal it may. */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { once } from "node:events";
import { stringify } from "yaml";
import { expect, test } from "vitest";
import { systemClock, systemPaths } from "../../src/kernel/index.ts";
import { NO_SANDBOX } from "../support/sandboxed.ts";
import { putFiles, tempFolder } from "../support/temp-workspace.ts";

const FAKE = path.join(systemPaths.shipped("test"), "support/fake-language-server.mjs");
const CHILD = path.join(systemPaths.shipped("test"), "crash/language-server-child.ts");

/** Processes whose command line names the folder: in a sandbox they have other numbers. */
function serversOf(folder: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .filter((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        return line.includes(folder) && line.includes("fake-language-server");
      } catch {
        return false;
      }
    });
}

test.skipIf(process.platform !== "linux").each(NO_SANDBOX === undefined ? ["sandboxed", "always"] : ["always"])(
  "~FMT-030: killed with a deaf server at its side, nothing runs on (%s)",
  async (mode) => {
    const folder = tempFolder("killed");
    const pids = path.join(folder, "pids");
    const row = { id: "fake", category: "lsp", languages: ["fake"], extensions: [".fake"], binaries: ["node"], configs: ["fake.json"] };
    const run = ["node", FAKE, "deaf", mode === "always" ? pids : "", folder];
    putFiles(folder, { "fake.json": "{}", "a.fake": "", ".sylk/tools.yaml": stringify([{ ...row, run }]), pids: "" });
    const child = spawn(process.execPath, [CHILD, folder, mode], { stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface({ input: child.stdout });
    const [line] = (await once(lines, "line")) as [string];
    expect(JSON.parse(line)).toMatchObject({ problems: [{ path: "a.fake", line: 1 }], missing: [] });
    expect(serversOf(folder).length).toBeGreaterThan(0);
    child.kill("SIGKILL");
    await once(child, "exit");
    while (serversOf(folder).length > 0) await systemClock.sleep(20);
  },
);
