import { expect, test } from "vitest";
import { tempWorkspace } from "../../../test/support/temp-workspace.ts";
import { TalkTransport } from "./talk-transport.ts";

/** It says so once nobody can write to it any more, and does not end by itself. */
const DEAF =
  'require("fs").closeSync(0); console.error("Error: no ears"); process.stdout.write("{}\\n"); setInterval(() => undefined, 1000);';

test("a server that can no longer be written to is ended, and what is told is why it ended, not that a pipe broke", async () => {
  using t = tempWorkspace();
  const transport = new TalkTransport({
    name: "deaf",
    reach: { kind: "stdio", command: process.execPath, args: ["-e", DEAF], env: {} },
    workspace: t.workspace,
    maxBytes: 10_000,
    signal: new AbortController().signal,
  });
  const heard = new Promise<void>((resolve) => {
    transport.onerror = transport.onmessage = () => resolve();
  });
  await transport.start();
  await heard;
  await expect(transport.send({ jsonrpc: "2.0", id: 1, method: "ping" })).rejects.toThrow(/deaf ended \(SIG\w+\), saying: Error: no ears/);
  await transport.close();
});
