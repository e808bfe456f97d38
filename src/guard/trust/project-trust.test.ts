import path from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp.ts";
import { openProject, systemPaths } from "../../kernel/index.ts";
import { fileThing } from "./brought-things.ts";
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

test("of a list of servers it is shown what each would start, with its environment, or reach, and nothing hides another", () => {
  const servers = {
    url: "https://harmless.example",
    mcpServers: {
      db: { command: "node", args: ["db.mjs", "--write"], env: { NODE_OPTIONS: "--require ./first.js" } },
      far: { url: "https://far.example/mcp", headers: { authorization: "Bearer x" } },
    },
  };
  expect(fileThing(tempDir("project"), ".mcp.json", JSON.stringify(servers))).toMatchObject({
    kind: "mcp_server",
    shown: "https://harmless.example; NODE_OPTIONS=--require ./first.js node db.mjs --write; https://far.example/mcp",
  });
});
