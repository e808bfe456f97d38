/** Sylk's own client as the conformance suite drives it: one scenario a process, the server's address as the last word. */
import path from "node:path";
import { z } from "zod";
import { messageOf, systemClock } from "../../src/kernel/index.ts";
import { createMcpServers } from "../../src/tooling/mcp/mcp-servers.ts";
import { createSignIns } from "../../src/tooling/mcp/sign-ins.ts";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";

const REDIRECT = "http://127.0.0.1:8765/callback";
const SERVER = "suite";
const signal = new AbortController().signal;
const url = process.argv.at(-1) ?? "";
const folder = mkdtempSync(path.join(tmpdir(), "sylk-conformance-"));
writeFileSync(path.join(folder, "mcp.json"), JSON.stringify({ mcpServers: { [SERVER]: { type: "http", url } } }));

const mcp = createMcpServers({
  configDir: folder,
  projectDir: folder,
  env: process.env,
  trusts: () => false,
  clock: systemClock,
  version: "1",
  redact: (text) => text,
  onSecret: () => undefined,
  secretsIn: () => [],
  limits: () => ({ startMs: 20_000, callMs: 20_000, longestMs: 25_000, maxBytes: 1_000_000 }),
  sandbox: () => {
    throw new Error("nothing of a project is started");
  },
  isSandboxed: () => Promise.resolve(false),
  signIns: createSignIns(path.join(folder, "sign-ins.json"), () => undefined),
});

/** The browser of a user who agrees. */
async function agree(): Promise<void> {
  const given = z.object({ client_id: z.string().optional(), client_secret: z.string().optional() }).catch({});
  const { client_id, client_secret } = given.parse(JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}"));
  const client = client_id === undefined ? undefined : { client_id, client_secret };
  const begun = await mcp.beginLogin(SERVER, { redirectUrl: REDIRECT, client }, signal);
  if (begun === null) return;
  const sent = await fetch(begun, { redirect: "manual" });
  await mcp.endLogin(SERVER, new URL(sent.headers.get("location") ?? "").searchParams);
}

async function use(): Promise<void> {
  for (const { tool, inputSchema } of await mcp.tools(folder, SERVER, signal)) {
    const names = Object.keys(inputSchema["properties"] ?? {});
    const call = { server: SERVER, tool, arguments: Object.fromEntries(names.map((name, at) => [name, at + 1])) };
    const keep = () => Promise.resolve("kept");
    const checked = await mcp.check(folder, call, signal);
    if (checked.kind !== "fits") throw new Error(`${tool}: ${checked.why}`);
    await mcp.call(folder, call, { elicit: () => Promise.resolve({ action: "accept", content: {} }), keep, signal });
  }
}

try {
  await use().catch(async (error: unknown) => {
    if (!messageOf(error).includes("sign in")) throw error;
    await agree();
    await use();
  });
} finally {
  await mcp.close();
  rmSync(folder, { recursive: true, force: true });
}
