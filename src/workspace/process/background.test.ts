import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import path from "node:path";
import { expect, test } from "vitest";
import { tempFolder, tempWorkspace } from "../../../test/support/temp-workspace.ts";
import { createRedactor } from "../../guard/index.ts";
import { createLiveRegistry } from "./live-registry.ts";
import { MARK_VARIABLE, treeOf } from "./process-tree.ts";

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

test("a server is healthy once its port answers, shows its log, and stops as a whole", async () => {
  const port = await freePort();
  using t = tempWorkspace({
    "serve.cjs": `require("node:net").createServer().listen(${port}, "127.0.0.1", () => console.log("up hunter2"));`,
  });
  const { background } = t.workspace.processes;
  const started = await background.start({ command: [process.execPath, "serve.cjs"], readyWhen: { port } });
  if (started.kind !== "started") throw new Error(JSON.stringify(started));
  expect(started.state.health).toBe("healthy");
  expect(await background.check(started.state.id)).toBe("healthy");
  await expect.poll(() => background.tail(started.state.id)).toEqual(["up [redacted]"]);
  expect(await background.stop(started.state.id)).toMatchObject({ sentSIGINT: true, exitedAfter: "SIGINT" });
  expect(background.list()).toMatchObject([{ id: started.state.id, health: "exited" }]);
  expect(await treeOf(started.state.pid, "none")).toEqual([]);
});

test("readiness by a line of output; a process that ends before is reported with its log", async () => {
  using t = tempWorkspace();
  const { background } = t.workspace.processes;
  const started = await background.start({
    command: "echo booting; echo listening on 80; sleep 60",
    readyWhen: { line: "listening on \\d+" },
  });
  expect(started).toMatchObject({ kind: "started", state: { health: "healthy" } });
  const failed = await background.start({ command: "echo port taken >&2; exit 1", readyWhen: { line: "never" } });
  expect(failed).toMatchObject({ kind: "not_ready", reason: "exited", log: ["port taken"], state: { exit: { code: 1 } } });
  await t.workspace[Symbol.asyncDispose]();
  expect(background.list().map((state) => state.health)).toEqual(["exited", "exited"]);
});

test("~SEC-022: a key in the log of a server that did not start is redacted as a whole, also when its beginning is no longer shown", async () => {
  const body = Array.from(
    { length: 60 },
    (_, i) => `${"aB3dE6gH9jK2mN5pQ8sT1vW4yZ7x".repeat(3).slice(0, 60)}${String(i).padStart(4, "0")}`,
  );
  const key = ["-----BEGIN RSA PRIVATE KEY-----", ...body, "-----END RSA PRIVATE KEY-----", "gone"].join("\n");
  using t = tempWorkspace({ "key.txt": `${key}\n` }, { redact: (text) => createRedactor().redact(text).text });
  const { background } = t.workspace.processes;
  const failed = await background.start({ command: "cat key.txt; exit 1", readyWhen: { line: "never" } });
  expect(failed).toMatchObject({ kind: "not_ready", log: expect.arrayContaining(["[REDACTED]", "gone"]) as string[] });
  const [state] = background.list();
  expect(background.tail(state?.id ?? "", 3)).toEqual(["[REDACTED]", "[REDACTED]", "gone"]);
  expect(JSON.stringify(failed)).not.toContain("aB3dE6");
});

test("a refused background command is not started", async () => {
  using t = tempWorkspace({}, { deny: (action) => (action.kind === "run" && action.background ? "no servers" : undefined) });
  expect(await t.workspace.processes.background.start({ command: "sleep 60" })).toMatchObject({ kind: "refused", reason: "no servers" });
});

test("TOO-013: processes of an owner that was killed are ended by the next one, others are not", async () => {
  const folder = path.join(tempFolder("live"), "live");
  const registryModule = path.join(import.meta.dirname, "live-registry.ts");
  const owner = spawn(process.execPath, [
    "--input-type=module-typescript",
    "-e",
    `
    import { spawn } from "node:child_process";
    import { createLiveRegistry } from ${JSON.stringify(registryModule)};
    const child = spawn("sleep", ["300"], { detached: true, stdio: "ignore", env: { ...process.env, ${MARK_VARIABLE}: "crashed" } });
    createLiveRegistry(${JSON.stringify(folder)}).add(child.pid, "crashed");
    console.log("ready");
    setInterval(() => {}, 1000);
  `,
  ]);
  await once(owner.stdout, "data");
  expect(await createLiveRegistry(folder).reap()).toBe(0);
  expect(await treeOf(-1, "crashed")).toHaveLength(1);
  owner.kill("SIGKILL");
  await once(owner, "exit");
  expect(await createLiveRegistry(folder).reap()).toBe(1);
  await expect.poll(() => treeOf(-1, "crashed")).toEqual([]);
});
