import { expect, test } from "vitest";
import { parse } from "yaml";
import { roleText } from "./role-text.ts";

type Fields = Readonly<Record<string, unknown>>;

const frontOf = (fields: Fields): Record<string, unknown> =>
  parse(roleText(fields, "You help.")?.split("---\n")[1] ?? "") as Record<string, unknown>;

const ALL = ["file_read", "file_write", "execute", "execute_inspection", "network_read"];
const LOOKING = ["file_read", "execute_inspection", "network_read"];

test.each<[string, Fields, string[]]>([
  ["no word of it", {}, ALL],
  ["all tools", { tools: "*" }, ALL],
  ["tools in a line", { tools: "Read, Bash(git log:*)" }, ["file_read", "execute", "execute_inspection"]],
  ["tools in a list", { tools: ["WebFetch", "Edit"] }, ["file_read", "file_write", "network_read"]],
  ["tools nobody knows", { tools: "mcp__tracker" }, ["file_read"]],
  ["only reading", { readonly: true }, LOOKING],
  ["a sandbox that only reads", { sandbox_mode: "read-only", tools: "Edit" }, LOOKING],
  ["only planning", { permissionMode: "plan" }, LOOKING],
  ["tools switched off", { tools: { write: false, bash: true } }, ["file_read", "execute", "execute_inspection", "network_read"]],
  ["tools denied", { permission: { edit: "deny", bash: "ask" } }, ["file_read", "execute", "execute_inspection", "network_read"]],
  ["tools taken away", { disallowedTools: "Edit, Bash" }, ["file_read", "network_read"]],
  [
    "tools taken away from a list",
    { tools: "Read, Edit, Bash", disallowedTools: ["Edit"] },
    ["file_read", "execute", "execute_inspection"],
  ],
  ["all but some switched off", { tools: { "*": false, webfetch: true } }, ["file_read", "network_read"]],
  ["all but some denied", { permission: { "*": "deny", edit: "ask" } }, ["file_read", "file_write"]],
  [
    "all but some lines of the shell denied",
    { permission: { bash: { "*": "deny", "git log": "allow" } } },
    ["file_read", "file_write", "network_read"],
  ],
  ["reading denied, which every role may", { permission: { read: "deny" } }, ALL],
])("what a role may do, which there has %s", (_what, fields, may) => {
  expect(frontOf(fields)["capabilities"]).toEqual(may);
});

test.each<[unknown, string | undefined]>([
  ["inherit", undefined],
  ["haiku", "fast"],
  ["claude-opus-4", "deep"],
  ["sonnet", "balanced"],
  ["openai/gpt-5", "openai/gpt-5"],
  ["somebody-s", undefined],
  [7, undefined],
])("the model %j", (model, ours) => {
  expect(frontOf({ model })["model"]).toBe(ours);
});

test("who it is stays word for word; a role without a word, or with too many, is none", () => {
  expect(roleText({ description: " helps:\n much " }, "\nYou\n  help.\n")).toMatch(
    /^---\nsummary: "helps: much"\n[^]*---\n\nYou\n {2}help\.\n$/u,
  );
  expect([roleText({}, " \n"), roleText({}, "x".repeat(8_001))]).toEqual([undefined, undefined]);
});
