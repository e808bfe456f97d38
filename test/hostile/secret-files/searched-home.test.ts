/**
 * The person keeps their settings as a project, and asks what stands in it. Whoever can ask (a model, another agent over
 * MCP) wants the sign-ins of other programs, which lie beside them under names that sound like nothing.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { victim } from "../support.ts";

test("a search of a folder of settings does not show sign-ins that stand in it", async () => {
  const { home, sylk } = victim();
  const put = (name: string, text: string): void => {
    mkdirSync(path.dirname(path.join(home, ".config", name)), { recursive: true });
    writeFileSync(path.join(home, ".config", name), text);
  };
  put("op/config", "account zebra, phrase: correct horse battery\n");
  put("sops/age/keys.txt", "zebra correct horse battery\n");
  put("editor/settings.md", "# zebra\n\nThe zebra theme.\n");
  const found = await sylk(path.join(home, ".config"), "search", "zebra", "--json");
  expect(found.code).toBe(0);
  expect(found.out).toContain("editor/settings.md");
  expect(found.out).not.toContain("battery");
});
