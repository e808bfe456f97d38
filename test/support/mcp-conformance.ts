/** Runs one scenario of the protocol's own conformance suite against Sylk's client, as `npx @modelcontextprotocol/conformance client` does. */
import { execFile } from "node:child_process";
import { symlinkSync } from "node:fs";
import path from "node:path";
import { tempDir } from "./temp.ts";

const SUITE = path.resolve("node_modules/@modelcontextprotocol/conformance/dist/index.js");
const CLIENT = path.resolve("test/support/mcp-conformance-client.ts");

/** Scenarios that ask for what Sylk does not offer. */
export const NOT_OFFERED: Readonly<Record<string, string>> = {
  "auth/basic-cimd": "a document about the client at a public address",
  "auth/scope-step-up": "agreeing to more in the middle of a call",
  "auth/2025-03-26-oauth-metadata-backcompat": "metadata whose issuer is not the address it was asked for",
};

export function conforms(scenario: string): Promise<{ passed: boolean; said: string }> {
  // The suite cuts a command at its spaces, and folders above this one may have some.
  const cwd = tempDir("sylk-conformance");
  symlinkSync(process.execPath, path.join(cwd, "node"));
  symlinkSync(CLIENT, path.join(cwd, "client.ts"));
  const args = [SUITE, "client", "--command", `${cwd}/node ${cwd}/client.ts`, "--scenario", scenario, "--timeout", "60000"];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd, maxBuffer: 16 * 1024 * 1024 }, (_error, stdout, stderr) =>
      resolve({ passed: `${stdout}${stderr}`.includes("OVERALL: PASSED"), said: `${stdout}${stderr}` }),
    );
  });
}
