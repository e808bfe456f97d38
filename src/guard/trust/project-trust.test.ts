import path from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp.ts";
import { openProject, systemPaths } from "../../kernel/index.ts";
import { createProjectTrust } from "./project-trust.ts";
import type { Brought } from "./trust-record.ts";

test("a later no takes a yes back, a later yes a no, and what was said of the rest stays", () => {
  const base = tempDir("trust");
  const dirs = systemPaths.dirs({ env: { HOME: base, SYLK_HOME: path.join(base, "home") }, platform: process.platform });
  const look = { standing: () => "harmless", skillFolders: () => [], checksum: () => undefined } as never;
  const trust = createProjectTrust(openProject(tempDir("project"), dirs), look);
  const [prompt, hook]: [Brought, Brought] = [
    { kind: "prompt", name: ".sylk/prompts/base.md", hash: "1" },
    { kind: "hook", name: ".sylk/hooks.yaml", hash: "2" },
  ];
  const used = (): boolean[] => [prompt, hook].map((thing) => trust.now().thing(thing));
  trust.decide({ answer: "yes", things: [prompt, hook], earlier: "keep" });
  expect(used()).toEqual([true, true]);
  trust.decide({ answer: "no", things: [prompt], earlier: "keep" });
  expect(used()).toEqual([false, true]);
  trust.decide({ answer: "yes", things: [prompt], earlier: "keep" });
  expect(used()).toEqual([true, true]);
  trust.decide({ answer: "no", things: [hook], earlier: "forget" });
  expect(used()).toEqual([false, false]);
});
