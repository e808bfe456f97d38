/** A language server that stops in the middle of a message must not keep Sylk's process alive. */
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { systemPaths } from "../../../src/kernel/index.ts";
import { putFiles, tempFolder } from "../../support/temp-workspace.ts";

const TESTS = systemPaths.shipped("test");

test("M1: after half a message the process ends by itself", async () => {
  const folder = tempFolder("servers");
  const row = { id: "fake", category: "lsp", languages: ["fake"], extensions: [".fake"], binaries: ["node"], configs: ["fake.json"] };
  const run = ["node", path.join(TESTS, "support/fake-language-server.mjs"), "stops"];
  putFiles(folder, { "fake.json": "{}", "a.fake": "one\n", ".sylk/tools.yaml": stringify([{ ...row, run }]) });
  const child = path.join(TESTS, "hostile/language-servers/closing-child.ts");
  // One that hangs is ended after a while, which is an error here.
  const { stdout } = await promisify(execFile)(process.execPath, [child, folder], { timeout: 20_000, killSignal: "SIGKILL" });
  expect(stdout).toBe("closed, without fake\n");
});
