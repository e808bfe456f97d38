/** A project whose checks a person has agreed to as they are now, where no sandbox bounds them. */
import { mkdirSync } from "node:fs";
import path from "node:path";
import { systemClock } from "../../src/kernel/index.ts";
import { createToolFinder } from "../../src/tooling/discover/discover-tools.ts";
import { createProjectChecks } from "../../src/tooling/project-checks.ts";
import { toCommandLine } from "../../src/workspace/index.ts";
import { putFiles, tempFolder } from "./temp-workspace.ts";

type Parts = Parameters<typeof createProjectChecks>;

/** `EVIL` in a file stands for the attacker's command, which leaves `mark`. */
export async function agreedTo(files: Record<string, string>, prepare: (root: string) => void = () => undefined) {
  const base = tempFolder("agreed-checks");
  const root = path.join(base, "project");
  const mark = path.join(base, "PWNED");
  const put = (more: Record<string, string>): void =>
    putFiles(root, Object.fromEntries(Object.entries(more).map(([name, text]) => [name, text.replaceAll("EVIL", `touch ${mark}`)])));
  mkdirSync(root);
  put(files);
  prepare(root);
  const finder = createToolFinder({ root, clock: systemClock, trusts: () => true });
  const hashes = new Set<string>();
  const tools = { api: { sandboxStatus: () => Promise.resolve({ mode: "off", available: false }) }, discoverIn: () => finder.find() };
  const trust = { now: () => ({ thing: ({ hash }: { hash: string }) => hashes.has(hash) }) };
  const checks = createProjectChecks(root, tools as unknown as Parts[1], trust as unknown as Parts[2]);
  for (const { hash } of (await checks.things("all")).things) hashes.add(hash);
  const runs = async (line: string): Promise<boolean> => {
    const command = toCommandLine(line);
    return command !== undefined && (await checks.rule(command, root)) !== undefined;
  };
  return { root, mark, put, runs, offered: async () => (await checks.things("all")).things.map(({ name }) => name), finder };
}
