/** `mcp.test.ts` goes on here with what takes longer. */
import path from "node:path";
import { expect, test } from "vitest";
import { holders } from "../../src/kernel/index.ts";
import { filesOf } from "../support/scripted-project.ts";
import { MAIN } from "../support/built-command.ts";
import { call, find, lines, worked } from "./mcp.ts";

test("a server that hangs, dies, floods or lies costs one call, and the next one finds it well", async () => {
  const again = call("echo", { text: "still here" });
  const { steps, base } = await worked([call("hang"), again, call("die"), again, call("flood"), again, call("liar"), again], {
    settings: { tools: { mcp_call_timeout: "2s" } },
  });
  expect(steps[0]).toContain(
    "FAILED the MCP server fake took more than 2 s to answer hang; it may have happened: look before repeating it",
  );
  expect(steps[2]).toContain("FAILED the MCP server fake ended (7)");
  expect(steps[4]).toContain("FAILED the MCP server fake floods");
  expect(steps[6]).toContain("FAILED the MCP server fake did not answer liar");
  for (const at of [1, 3, 5, 7]) expect(steps[at]).toContain("fake/echo answered");
  const pids = lines(path.join(base, "starts"));
  expect(pids.map((pid) => holders.state(holders.ofProcess(Number(pid))))).toEqual(pids.map(() => "dead"));
});

test("a server that tells how far it is may take longer, and one that never greets is given up", async () => {
  const { steps } = await worked([call("count", { until: "25" })], { settings: { tools: { mcp_call_timeout: "2s" } } });
  expect(steps[0]).toContain("fake/count answered");
  const longest = await worked([call("count", { until: "600" })], {
    settings: { tools: { mcp_call_timeout: "2s", mcp_longest_call: "3s" } },
  });
  expect(longest.steps[0]).toContain("took more than 3 s to answer count");
  const deaf = await worked([find()], { env: { DEAF: "1" }, settings: { tools: { mcp_start_timeout: "1s" } } });
  expect(deaf.steps[0]).toContain("connecting to the MCP server fake");
});

test("real servers of both revisions of the protocol answer", async () => {
  const packaged = (name: string) => path.resolve(`node_modules/@modelcontextprotocol/${name}/dist/index.js`);
  const servers = {
    everything: { command: process.execPath, args: [packaged("server-everything")] },
    files: { command: process.execPath, args: [packaged("server-filesystem"), "${SYLK_PROJECT_DIR}"] },
    // Sylk's own speaks the newer one.
    sylk: { command: process.execPath, args: [MAIN, "mcp"] },
  };
  const { steps, contexts, dir } = await worked(
    [
      find("echo"),
      call("get-sum", { a: 20, b: 22 }, "everything"),
      call("read_text_file", { path: "a.txt" }, "files"),
      call("write_file", { path: "b.txt", content: "by the server\n" }, "files"),
      call("search", { query: "one" }, "sylk"),
    ],
    { servers },
  );
  expect(contexts[1]?.user).toContain("everything/echo");
  expect(contexts[2]?.user).toContain("42");
  expect(contexts[3]?.user).toContain("one");
  expect(steps[3]).toContain("it changed b.txt (create)");
  expect(filesOf(dir)["b.txt"]).toBe("by the server\n");
  expect(steps[4]).toContain("sylk/search answered");
});
