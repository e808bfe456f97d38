import { mkdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { systemPaths } from "../kernel/index.ts";
import { NO_SANDBOX, sandboxWith } from "../../test/support/sandboxed.ts";
import { tempDir } from "../../test/support/temp.ts";
import { configSchema } from "./config-schema.ts";
import { sandboxPolicy } from "./sandbox-policy.ts";

const env = { HOME: "/home/ada" };
const dirs = systemPaths.dirs({ env, platform: "linux" });
const policyOf = (sandbox: Record<string, string[]>, project = "/work") =>
  sandboxPolicy(configSchema.parse({ security: { sandbox } }), { dirs, project, env, alsoHidden: ["/kept"] });

test("what the settings name is meant from the home folder or the project, wherever the command was started", () => {
  const { hidden, writable } = policyOf({ hidden: ["~/keys", "conf/keys", "/etc/keys"], writable: ["~", "../out"] });
  expect(hidden).toEqual(["/home/ada/keys", "/work/conf/keys", "/etc/keys", "/kept"]);
  expect(writable).toEqual(["/home/ada", "/out"]);
});

test("no command sees a folder of Sylk itself: what is kept in its cache is run by the next start", () => {
  expect(new Set(policyOf({}).own)).toEqual(new Set(Object.values(dirs)));
});

test.skipIf(NO_SANDBOX !== undefined)("a place to hide that is not there is named with the state of the sandbox", async () => {
  const root = tempDir("named-places");
  mkdirSync(path.join(root, "there"));
  const status = async (hidden: string[]) => sandboxWith({ hidden: policyOf({ hidden }, root).hidden.slice(0, -1) }).status();
  expect((await status(["there"])).reason ?? "").not.toContain("nothing stands");
  expect((await status(["there", "thre"])).reason).toContain(`nothing stands at ${root}/thre, which security.sandbox.hidden names`);
});
