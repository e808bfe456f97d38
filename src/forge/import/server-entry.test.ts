import { expect, test } from "vitest";
import { readServerEntry } from "./server-entry.ts";

test.each([
  ["that is switched off", { command: "x", disabled: true }, "is switched off there"],
  ["that is not switched on", { command: "x", enabled: false }, "is switched off there"],
  ["of the older protocol", { type: "sse", url: "https://example.com/sse" }, /older protocol/u],
  [
    "that takes a value from a file",
    { url: "https://example.com", headers: { Authorization: "{file:~/.token}" } },
    /takes a value from a file/u,
  ],
  ["that cannot be reached", { env: {} }, "has neither a command nor an address"],
])("a server %s is not brought", (_what, entry, why) => {
  expect(readServerEntry(entry)).toEqual({ why: expect.stringMatching(why) as string });
});

test("where two addresses are given the newer protocol's counts, and each way to name a header is understood", () => {
  const entry = {
    httpUrl: "https://example.com/mcp",
    url: "https://example.com/sse",
    headers: { A: "$A_VALUE" },
    http_headers: { B: "{env:B_VALUE}" },
    env_http_headers: { C: "C_VALUE" },
    bearer_token_env_var: "TOKEN",
  };
  expect(readServerEntry(entry)).toMatchObject({
    reach: {
      url: "https://example.com/mcp",
      headers: { A: "${A_VALUE}", B: "${B_VALUE}", C: "${C_VALUE}", Authorization: "Bearer ${TOKEN}" },
    },
    note: undefined,
  });
});

test("a program finds the same folders and variables, and is said what it finds otherwise", () => {
  const entry = {
    command: ["node", "${workspaceFolder}/server.js"],
    args: ["${userHome}/data"],
    env: { KEY: "${env:KEY}" },
    env_vars: ["HANDED_ON"],
    cwd: "/srv",
    envFile: ".env",
  };
  expect(readServerEntry(entry)).toMatchObject({
    reach: {
      command: "node",
      args: ["${SYLK_PROJECT_DIR}/server.js", "${HOME}/data"],
      env: { KEY: "${KEY}", HANDED_ON: "${HANDED_ON}" },
    },
    raw: { args: ["${workspaceFolder}/server.js", "${userHome}/data"], env: { KEY: "${env:KEY}" } },
    note: "starts in another folder here; set the variables of its envFile in your environment",
  });
});
