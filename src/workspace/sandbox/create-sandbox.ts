/**
 * Decides how a command is isolated and says so. Fails closed: what must be sandboxed and cannot be is
 * not started (SEC-031, SEC-032); what cannot have its network gets the stricter sandbox without one.
 */
import { existsSync, mkdirSync, realpathSync } from "node:fs";
import path from "node:path";
import { privatePlaces } from "../../guard/index.ts";
import { messageOf, type Clock, SylkError, systemPaths } from "../../kernel/index.ts";
import type { CommandLine } from "../gate.ts";
import { dependencySources } from "../git/link-dependencies.ts";
import { ownTreeOf, realOf, type OwnTree } from "../git-folders.ts";
import { closeBounds, openBound } from "./bounds.ts";
import { bubblewrapArgv } from "./bubblewrap.ts";
import { openCommitCopy, type CommitCopy } from "./commit-copy.ts";
import { openNetwork, stopNetworkSandbox, wrapOnMac, type OpenNetwork } from "./network-sandbox.ts";
import { createSensitivePlaces } from "./sensitive-places.ts";
import { findSandbox, type FoundSandbox } from "./sandbox-status.ts";
import { CACHE_VARIABLES, HIDDEN_IN_SYSTEM, REGISTRY_HOSTS, type SandboxPolicy } from "./policy.ts";
import { holdMarks, type WorkMarks } from "./work-marks.ts";
import type { WrapRequest, WrapOutcome, Sandbox } from "../isolation.ts";

export interface SandboxOptions {
  policy: SandboxPolicy;
  home: string;
  /** Where it says that keys stand, they are hidden. */
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  /** Where executables are looked for; `PATH` when absent. */
  searchPath?: string | undefined;
}

function startsWith(line: string, command: string): boolean {
  return line === command || line.startsWith(`${command} `);
}

/** Folders a command's programs stand in: Sylk's own, its runtime's, those of the search path, linked dependencies. */
function toolFolders(searchPath: string, writable: readonly string[]): string[] {
  const named = searchPath
    .split(path.delimiter)
    .filter((dir) => path.isAbsolute(dir))
    .flatMap((dir) => [dir, realOr(dir)]);
  const own = [path.dirname(systemPaths.shipped("package.json")), path.dirname(realpathSync(process.execPath))];
  return [...new Set([...own, ...named.map((dir) => path.resolve(dir)), ...writable.flatMap(dependencySources)])];
}

/** Where it really stands: a mount on a link would not be the one that is looked at, or none. */
const realOr = (folder: string): string => realOf(folder) ?? folder;

function onRealFolders(request: WrapRequest): WrapRequest {
  const { writable, readable } = request;
  return { ...request, writable: writable.map(realOr), readable: readable?.map(realOr) };
}

interface Given {
  request: WrapRequest;
  found: FoundSandbox;
  writable: string[];
  secrets: string[];
  nested: string[];
  hosts: string[];
}

export function createSandbox(options: SandboxOptions): Sandbox {
  const { policy, clock } = options;
  const keys = privatePlaces.named(options.home, options.env);
  const closed = [...HIDDEN_IN_SYSTEM, ...policy.hidden, ...policy.own];
  const sensitive = createSensitivePlaces(clock);
  let known: Promise<FoundSandbox> | undefined;
  /** Git folders as they were before the first command in a folder. */
  const trees = new Map<string, OwnTree | undefined>();

  const treesOf = (folders: readonly string[]): OwnTree[] =>
    folders.flatMap((folder) => {
      if (!trees.has(folder)) trees.set(folder, ownTreeOf(folder));
      return trees.get(folder) ?? [];
    });

  /** What now lies in the folders a command works in. */
  const placesFor = async (folders: readonly string[]): Promise<{ secrets: string[]; nested: string[] }> => {
    const found = await Promise.all(
      folders.map(async (folder) => {
        const open = new Set(policy.visible.map((name) => path.resolve(folder, name)));
        const { secrets, repositories } = await sensitive.in(folder);
        return { secrets: secrets.filter((place) => !open.has(place)), repositories };
      }),
    );
    return { secrets: found.flatMap((one) => one.secrets), nested: found.flatMap((one) => one.repositories) };
  };

  const releaseMarks = async (marks: WorkMarks, folders: readonly string[]): Promise<string | undefined> => {
    const found = await Promise.all(folders.map(async (folder) => (await sensitive.again(folder)).repositories));
    const said = marks.release(found.flat());
    return said.length === 0 ? undefined : said.join("; ");
  };

  const look = (): Promise<FoundSandbox> => (known ??= findSandbox(policy.mode, clock, options.searchPath ?? process.env["PATH"] ?? ""));

  const hostsFor = (command: CommandLine, asked: readonly string[]): string[] => {
    const line =
      command.kind === "shell"
        ? command.line
        : command.argv.map((word, i) => (i === 0 && !word.startsWith("./") ? path.basename(word) : word)).join(" ");
    const registries = policy.registries
      ? REGISTRY_HOSTS.filter((rule) => rule.commands.some((beginning) => startsWith(line, beginning))).flatMap((rule) => rule.hosts)
      : [];
    return [...new Set([...policy.allowedHosts, ...asked, ...registries])];
  };

  /** A program that is installed needs no registry, however it is started. */
  const hostsOf = ({ command, cwd, network }: WrapRequest): string[] => {
    const [starter, program = ""] = command.kind === "direct" ? command.argv.filter((word) => !word.startsWith("-")) : [];
    const isHere = starter === "npx" && program !== "" && existsSync(path.join(cwd, "node_modules/.bin", program));
    return isHere ? [...new Set([...policy.allowedHosts, ...network])] : hostsFor(command, network);
  };

  /** The proxies, or why there are none. */
  const networkFor = async ({ request, found, hosts }: Given): Promise<OpenNetwork | string | undefined> => {
    if (request.serves || hosts.length === 0) return undefined;
    if (found.socat === undefined) return found.status.reason ?? "socat was not found";
    try {
      return await openNetwork(hosts, { bwrap: found.bwrap, socat: found.socat });
    } catch (error) {
      request.signal?.throwIfAborted();
      return messageOf(error);
    }
  };

  const inBubblewrap = async (given: Given): Promise<WrapOutcome> => {
    const { request, found, writable } = given;
    const network = await networkFor(given);
    if (typeof network === "string" && request.network.length > 0 && policy.mode === "require")
      return { kind: "unavailable", reason: network, fix: found.status.fix };
    const open = typeof network === "object" ? network : undefined;
    const marks = holdMarks({ folders: request.writable, writable, nested: given.nested });
    const copies: CommitCopy[] = [];
    const bound = openBound(policy.limits);
    const release = async (): Promise<string | undefined> => {
      open?.release();
      bound.release();
      const notice = await releaseMarks(marks, request.writable);
      for (const copy of copies) await copy.release();
      return notice;
    };
    try {
      for (const tree of treesOf(request.writable)) copies.push(await openCommitCopy(tree, clock));
      const argv = bubblewrapArgv({
        program: found.bwrap,
        argv: open?.relayed(request.argv) ?? request.argv,
        cwd: request.cwd,
        writable,
        pinned: marks.pinned,
        readOnly: marks.readOnly,
        absent: keys,
        refused: [...closed, ...given.secrets],
        readable: request.readable ?? [],
        tools: toolFolders(request.searchPath, [...request.writable, ...(request.readable ?? [])]),
        mounts: [...copies.flatMap((copy) => copy.mounts), ...(open?.mounts ?? [])],
        inside: request.loads,
        limits: policy.limits,
        sized: found.sized,
        shareNetwork: request.serves,
      });
      return {
        kind: "sandboxed",
        argv: bound.join(argv),
        env: { ...CACHE_VARIABLES, TMPDIR: "/tmp", ...open?.env },
        layer: open === undefined ? "bubblewrap" : "sandbox-runtime",
        notice: typeof network === "string" ? `ran without network: ${network}` : undefined,
        release,
      };
    } catch (error) {
      await release();
      throw error;
    }
  };

  const onMac = async ({ request, writable, secrets, nested, hosts }: Given): Promise<WrapOutcome> => {
    const marks = holdMarks({ folders: request.writable, writable, nested });
    try {
      mkdirSync(request.tempDir, { recursive: true, mode: 0o700 });
      const { argv, release } = await wrapOnMac({
        ...request,
        writable,
        readOnly: marks.readOnly,
        // By both names: which of them counts is not ours to say.
        hidden: [...new Set([...keys, ...closed, ...secrets].flatMap((place) => [place, realOr(place)]))],
        hosts,
        limits: policy.limits,
        signal: request.signal,
      });
      const end = (): Promise<string | undefined> => {
        release();
        return releaseMarks(marks, request.writable);
      };
      return { kind: "sandboxed", argv, env: {}, layer: "sandbox-runtime", notice: undefined, release: end };
    } catch (error) {
      marks.release([]);
      request.signal?.throwIfAborted();
      return { kind: "unavailable", reason: messageOf(error), fix: SylkError.is(error) ? error.fix : undefined };
    }
  };

  return {
    hostsFor,
    async status() {
      const { status } = await look();
      const gone = policy.hidden.filter((place) => !existsSync(place));
      if (!status.available || gone.length === 0) return status;
      const reason = `nothing stands at ${gone.join(", ")}, which security.sandbox.hidden names`;
      return {
        ...status,
        reason: [status.reason, reason].filter((one) => one !== undefined).join("; "),
        fix: status.fix ?? "correct it there",
      };
    },
    async wrap(asked) {
      const request = onRealFolders(asked);
      if (policy.mode === "off")
        return request.onlySandboxed
          ? { kind: "unavailable", reason: "it was switched off meanwhile", fix: undefined }
          : { kind: "direct", reason: "the sandbox is switched off" };
      const found = await look();
      const { status } = found;
      if (!status.available) {
        const reason = status.reason ?? "no sandbox";
        return policy.mode === "require" || request.onlySandboxed
          ? { kind: "unavailable", reason, fix: status.fix }
          : { kind: "direct", reason };
      }
      const given: Given = {
        request,
        found,
        writable: request.readable === undefined ? [...request.writable, ...policy.writable.map(realOr)] : [],
        ...(await placesFor([...request.writable, ...(request.readable ?? [])])),
        hosts: request.readable === undefined ? hostsOf(request) : [],
      };
      return status.layer === "bubblewrap" ? inBubblewrap(given) : onMac(given);
    },
    async [Symbol.asyncDispose]() {
      closeBounds();
      await stopNetworkSandbox();
    },
  };
}
