/**
 * Tries the sandbox for real, in both layers; for `sylk sandbox test`. A promise is called kept only
 * when the act ran inside and failed there, and succeeds outside; what could not be shown is "not tested".
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { messageOf, type Clock } from "../kernel/index.ts";
import { createGit } from "./git/git.ts";
import { openRepository } from "./git/open-repository.ts";
import { openWorkspace, type Workspace } from "./open-workspace.ts";
import { gateByRule } from "./gate.ts";
import { canCountProcesses } from "./sandbox/bounds.ts";
import { isBelow } from "./sandbox/bubblewrap.ts";
import { createSandbox } from "./sandbox/create-sandbox.ts";
import type { Sandbox } from "./isolation.ts";
import type { SandboxPolicy } from "./sandbox/policy.ts";
import { ACTS, LIMIT_ACTS, SECRET, TRIAL_LIMITS, type Act, type Ground } from "./sandbox/sandbox-promises.ts";

export interface SandboxCheck {
  name: string;
  layer: "commands without network" | "commands with a list of hosts";
  result: "kept" | "broken" | "not_tested";
  detail: string;
}

export interface SandboxTestOptions {
  policy: SandboxPolicy;
  clock: Clock;
  /** Where to try it. */
  folder: string;
  searchPath?: string | undefined;
}

const UNLISTED = "allowed.invalid";
const RAN = "sylk-trial-ran";

async function listen(): Promise<{ port: number; seen: () => boolean; forget: () => void; close: () => void }> {
  let seen = false;
  const server = createServer((socket) => {
    seen = true;
    socket.on("error", () => undefined);
    socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return { port, seen: () => seen, forget: () => (seen = false), close: () => server.close() };
}

/** Commands have a temporary folder of their own: a trial in it would prove nothing about other places. */
function baseFor(folder: string): string {
  const candidates = [folder, "/var/tmp"].filter((place) => place === folder || existsSync(place));
  const chosen = candidates.find((place) => !isBelow(`${path.resolve(place)}${path.sep}`, "/tmp")) ?? folder;
  mkdirSync(chosen, { recursive: true });
  return mkdtempSync(path.join(chosen, "sandbox-test-"));
}

async function treeIn(base: string, clock: Clock): Promise<Ground["tree"]> {
  const root = path.join(base, "repository");
  mkdirSync(root);
  writeFileSync(path.join(root, "a.txt"), "a\n");
  try {
    await createGit(root, clock).run(["init", "--quiet"]);
    const tree = await (await openRepository({ root, stateDir: path.join(base, "state"), clock })).createWorkTree({ id: "trial" });
    return { path: tree.path, admin: path.join(root, ".git/worktrees/trial") };
  } catch {
    return undefined;
  }
}

interface Ran {
  /** The command itself was reached. */
  ran: boolean;
  layer: string;
  said: string;
}

async function doAct(workspace: Workspace, line: string, network: readonly string[]): Promise<Ran> {
  const outcome = await workspace.processes.run({ command: ["sh", "-c", `echo ${RAN}; ${line}`], timeoutMs: 30_000, network });
  if (outcome.kind === "not_started") return { ran: false, layer: "none", said: outcome.message };
  if (outcome.kind === "refused") return { ran: false, layer: "none", said: outcome.reason };
  const said = outcome.stdout + outcome.stderr;
  return { ran: said.includes(RAN), layer: outcome.sandbox, said: said.replace(`${RAN}\n`, "") + (outcome.notice ?? "") };
}

export async function testSandbox(options: SandboxTestOptions): Promise<SandboxCheck[]> {
  const { clock } = options;
  const base = baseFor(options.folder);
  const server = await listen();
  const place = (name: string): string => {
    mkdirSync(path.join(base, name), { recursive: true });
    return path.join(base, name);
  };
  const home = place("home");
  const around = (limits: SandboxPolicy["limits"]): Sandbox =>
    createSandbox({ policy: { ...options.policy, mode: "require", limits }, home, env: {}, clock, searchPath: options.searchPath });
  await using sandbox = around(options.policy.limits);
  const checks: SandboxCheck[] = [];
  try {
    const ground: Ground = {
      root: place("work"),
      bare: place("bare"),
      outside: place("outside"),
      home,
      tree: await treeIn(base, clock),
      port: server.port,
      wasReached: server.seen,
    };
    mkdirSync(path.join(home, ".ssh"));
    writeFileSync(path.join(home, ".ssh/id_test"), `${SECRET}\n`);
    writeFileSync(path.join(ground.root, ".env"), `KEY=${SECRET}\n`);
    mkdirSync(path.join(ground.root, ".git/hooks"), { recursive: true });
    const open = (root: string, box: Sandbox | undefined): Workspace =>
      openWorkspace({
        root,
        sandbox: box,
        clock,
        redact: (text) => text,
        gate: gateByRule("sandbox test", ["read", "write", "run"]),
        tempDir: path.join(base, "temp"),
      });

    /** Inside, then outside. */
    const tryAct = async (act: Act, layer: SandboxCheck["layer"], box: Sandbox, network: readonly string[]): Promise<void> => {
      const add = (result: SandboxCheck["result"], detail: string): void =>
        void checks.push({ name: act.name, layer, result, detail: detail.trim().split("\n").at(-1) ?? "" });
      const known = act.unless?.(ground);
      if (known !== undefined) return add("not_tested", known);
      const where = act.where === "tree" ? (ground.tree?.path ?? ground.root) : ground[act.where ?? "root"];
      const line = act.line(ground);
      server.forget();
      await using inside = open(where, box);
      const tried = await doAct(inside, line, network);
      const worked = act.worked(ground, tried.said);
      act.undo?.(ground);
      if (worked) return add("broken", `${tried.said} (in ${tried.layer})`);
      if (!tried.ran || act.tried?.(tried.said) === false) return add("not_tested", `the attempt did not run: ${tried.said}`);
      if (network.length > 0 && tried.layer !== "sandbox-runtime") return add("not_tested", tried.said);
      server.forget();
      await using bare = open(where, undefined);
      const outside = await doAct(bare, line, []);
      const proved = act.worked(ground, outside.said);
      act.undo?.(ground);
      return proved ? add("kept", tried.said) : add("not_tested", `it fails outside too: ${outside.said}`);
    };

    const withoutNetwork = "commands without network";
    await using workspace = open(ground.root, sandbox);
    const first = await doAct(workspace, "echo in > inside.txt", []);
    const written = path.join(ground.root, "inside.txt");
    const runs = first.ran && existsSync(written) && readFileSync(written, "utf8") === "in\n";
    const name = "a command runs and writes in its folder";
    checks.push({ name, layer: withoutNetwork, result: runs ? "kept" : first.ran ? "broken" : "not_tested", detail: first.said.trim() });
    if (!runs) return checks;
    for (const act of ACTS) await tryAct(act, withoutNetwork, sandbox, []);
    const small = around(TRIAL_LIMITS);
    for (const act of LIMIT_ACTS) {
      const uncounted = act.name.startsWith("processes") && !canCountProcesses();
      const unless = uncounted
        ? () => "the system does not count its administrator's processes, and no control group can be made here"
        : act.unless;
      await tryAct({ ...act, ...(unless === undefined ? {} : { unless }) }, withoutNetwork, small, []);
    }
    for (const act of ACTS) await tryAct(act, "commands with a list of hosts", sandbox, [UNLISTED]);
    await tryHosts(workspace, server, checks);
    return checks;
  } catch (error) {
    checks.push({ name: "the trial itself", layer: "commands without network", result: "broken", detail: messageOf(error) });
    return checks;
  } finally {
    server.close();
    rmSync(base, { recursive: true, force: true });
  }
}

/** A host that is not on the list is refused by the proxy; the same request with the host on the list gets through. */
async function tryHosts(
  workspace: Workspace,
  server: { port: number; seen: () => boolean; forget: () => void },
  checks: SandboxCheck[],
): Promise<void> {
  const script = `const p = new URL(process.env.HTTP_PROXY); const a = "Basic " + Buffer.from(decodeURIComponent(p.username) + ":" + decodeURIComponent(p.password)).toString("base64"); require("http").get({ host: "127.0.0.1", port: p.port, path: "http://localhost:${server.port}/", headers: { host: "localhost:${server.port}", "proxy-authorization": a } }, (r) => { console.log("status", r.statusCode); process.exit(0) }).on("error", (e) => { console.log("error", e.code); process.exit(0) })`;
  const line = `'${process.execPath}' -e '${script}'`;
  const add = (result: SandboxCheck["result"], detail: string): void =>
    void checks.push({
      name: "it reaches no host that is not on its list",
      layer: "commands with a list of hosts",
      result,
      detail: detail.trim(),
    });
  server.forget();
  const refused = await doAct(workspace, line, [UNLISTED]);
  if (server.seen()) return add("broken", refused.said);
  if (refused.layer !== "sandbox-runtime") return add("not_tested", refused.said);
  server.forget();
  const listed = await doAct(workspace, line, ["localhost"]);
  if (!server.seen()) return add("not_tested", `a host on the list is not reached either: ${listed.said}`);
  return add("kept", refused.said);
}
