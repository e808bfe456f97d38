/** Signing in to an MCP server over HTTP through the real command, with a sign-in server on this machine as the browser meets it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readFileSync, statSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startOAuthMcpServer } from "../support/oauth-mcp-server.ts";
import { runSylk } from "../support/run-sylk.ts";
import { script, scriptedProject, type ScriptedProject } from "../support/scripted-project.ts";
import { systemPaths } from "../../src/kernel/index.ts";
import { MAIN } from "../support/built-command.ts";

function freePort(): Promise<number> {
  const probe = createServer();
  return new Promise((resolve) =>
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    }),
  );
}

/** Starts the command, and gives the address it prints to whoever plays the browser. */
async function login({ dir, env }: ScriptedProject, browser: (url: URL) => Promise<unknown>, flags: readonly string[] = []) {
  const child = spawn(process.execPath, [MAIN, "mcp", "login", "guarded", ...flags], {
    cwd: dir,
    env: { ...env, NO_COLOR: "1", NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  const url = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        said += chunk.toString();
        const found = /^(http\S+)$/mu.exec(said)?.[1];
        if (found !== undefined && said.includes(`${found}\n`)) resolve(found);
      });
  });
  const ended = once(child, "exit");
  const shown = await Promise.race([url, ended.then(() => undefined)]);
  if (shown !== undefined) await browser(new URL(shown));
  const [code] = (await ended) as [number];
  return { code, said };
}

test("the user agrees in the browser; the token is kept for them alone, used, renewed and forgotten", { timeout: 120_000 }, async () => {
  await using server = await startOAuthMcpServer();
  const project = scriptedProject({ "a.txt": "one\n" }, script([]));
  const sylk = (...args: string[]) => runSylk(project.dir, { ...project.env, NO_COLOR: "1" }, args);
  await sylk("mcp", "add", "guarded", "--url", server.url);
  expect((await sylk("mcp", "list", "--check")).out).toContain("wants you to sign in: `sylk mcp login guarded`");

  const app = await project.open();
  const { url: begun } = await app.api.send({ type: "mcp.begin_login", server: "guarded", redirect_url: "http://127.0.0.1:1/callback" });
  expect(new URL(begun ?? "").searchParams.get("code_challenge_method")).toBe("S256");
  await expect(app.api.send({ type: "mcp.end_login", server: "guarded", query: "code=code-1&state=guessed" })).rejects.toThrow(
    "the answer belongs to another sign-in",
  );
  await app.close();
  const declined = await login(project, (url) => {
    const back = new URL(url.searchParams.get("redirect_uri") ?? "");
    back.searchParams.set("error", "access_denied");
    back.searchParams.set("state", url.searchParams.get("state") ?? "");
    return fetch(back);
  });
  expect(declined.said).toContain("access_denied");
  expect(server.grants).toEqual([]);

  const done = await login(project, async (url) => {
    // Another page of the browser that knows the port.
    const forged = new URL(url.searchParams.get("redirect_uri") ?? "");
    forged.searchParams.set("code", "code-of-somebody-else");
    forged.searchParams.set("state", "guessed");
    expect((await fetch(forged)).status).toBe(404);
    return fetch(url);
  });
  expect(done).toMatchObject({ code: 0, said: expect.stringContaining("signed in to guarded") as string });
  const file = path.join(systemPaths.dirs({ env: project.env, platform: process.platform }).data, "mcp-sign-ins.json");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, "utf8")).toContain("access-token-of-the-user-");
  const well = await sylk("mcp", "list", "--check");
  expect(well).toMatchObject({ code: 0, out: expect.stringContaining("guarded 1, 1 tools") as string });
  expect(well.out).not.toContain("of-the-user-");

  server.expire("possible");
  expect((await sylk("mcp", "list", "--check")).code).toBe(0);
  expect(server.grants).toEqual(["authorization_code", "refresh_token"]);
  server.expire("refused");
  expect((await sylk("mcp", "list", "--check")).out).toContain("sylk mcp login guarded");

  chmodSync(file, 0o644);
  expect((await sylk("mcp", "list", "--check")).out).toContain("it is broken, or not yours alone");
  chmodSync(file, 0o600);
  expect((await sylk("mcp", "logout", "guarded")).out).toContain("signed out of guarded");
  expect(readFileSync(file, "utf8")).not.toContain("of-the-user-");
  expect((await sylk("mcp", "logout", "guarded")).out).toContain("nobody was signed in");
});

test("a client that was registered by hand is used as it is, on the port it was registered with", { timeout: 120_000 }, async () => {
  await using server = await startOAuthMcpServer();
  const project = scriptedProject({ "a.txt": "one\n" }, script([]));
  const sylk = (...args: string[]) => runSylk(project.dir, { ...project.env, NO_COLOR: "1" }, args);
  await sylk("mcp", "add", "guarded", "--url", server.url);
  const port = await freePort();
  server.knows("by-hand", `http://127.0.0.1:${port}/callback`);
  const flags = ["--client-id", "by-hand", "--callback-port", String(port)];
  expect(await login(project, fetch, flags)).toMatchObject({ code: 0, said: expect.stringContaining("signed in to guarded") as string });
  server.expire("possible");
  expect((await sylk("mcp", "list", "--check")).code).toBe(0);
  expect(server.grants).toEqual(["authorization_code", "refresh_token"]);
  const unset = await sylk("mcp", "login", "guarded", "--client-id", "by-hand", "--client-secret-env", "NOT_THERE");
  expect([unset.code, unset.err]).toEqual([2, expect.stringContaining("NOT_THERE is not set in the environment")]);
});
