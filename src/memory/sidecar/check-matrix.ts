/**
 * The matrix in `config.yaml` is the authority on who reads whom (XRF-001). An agent's definition may
 * declare the same; where the two differ, the matrix counts and the difference is a warning.
 */
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { messageOf, projectFile } from "../../kernel/index.ts";
import { roleFields, type RoleSpec } from "../../protocol/index.ts";
import { filesOfTier, selfReference, tierOf, type MemoryConfig } from "./memory-config.ts";
import { agentsWithMemory } from "./sidecar-store.ts";

type MemoryReference = RoleSpec["reads_from"][number];

const declared = z.object({ reads_from: z.array(roleFields.reads_from.unwrap().element).optional() });

interface Declarations {
  /** By agent, what its definition says it reads. */
  reads: Map<string, MemoryReference[]>;
  warnings: string[];
}

/** `reads_from` in the frontmatter of `<folder>/<agent>.md`. A definition that cannot be read is a warning, naming oneself is an error. */
function readDeclarations(folder: string): Declarations {
  const found: Declarations = { reads: new Map(), warnings: [] };
  if (!existsSync(folder)) return found;
  for (const name of readdirSync(folder)
    .filter((file) => file.endsWith(".md"))
    .toSorted()) {
    const agent = name.slice(0, -".md".length);
    const file = path.join(folder, name);
    const front = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---/.exec(projectFile.text(folder, name) ?? "")?.[1];
    if (front === undefined) continue;
    let reads: MemoryReference[] | undefined;
    try {
      reads = declared.parse(parse(front) ?? {}).reads_from;
    } catch (error) {
      found.warnings.push(`${file}: reads_from cannot be read: ${messageOf(error).split("\n")[0]}`);
    }
    if (reads?.some((one) => one.agent === agent) === true) throw selfReference(file, agent);
    if (reads !== undefined) found.reads.set(agent, reads);
  }
  return found;
}

const nameOf = (one: MemoryReference): string => `${one.agent}/${one.file} (${one.mode})`;

/** What in the matrix cannot be meant, and where definitions say something else. */
export function matrixWarnings(config: MemoryConfig, { agentsDir, memoryDir }: { agentsDir: string; memoryDir: string }): string[] {
  const { reads, warnings } = readDeclarations(agentsDir);
  const out = [...warnings];
  const agents = new Set([...Object.keys(config.tiers), ...agentsWithMemory(memoryDir)]);
  for (const [agent, entry] of Object.entries(config.cross_references)) {
    if (!agents.has(agent)) out.push(`cross_references names ${agent}, which is no agent here`);
    for (const one of entry.reads_from) {
      if (!agents.has(one.agent)) out.push(`${agent} reads ${one.agent}, which is no agent here`);
      else if (!filesOfTier(tierOf(config, one.agent)).includes(one.file))
        out.push(`${agent} reads ${one.agent}/${one.file}, which an agent of tier ${tierOf(config, one.agent)} does not keep`);
    }
  }
  for (const [agent, wanted] of reads) {
    const matrix = config.cross_references[agent]?.reads_from ?? [];
    const has = (list: readonly MemoryReference[], one: MemoryReference): boolean => list.some((other) => nameOf(other) === nameOf(one));
    for (const one of wanted)
      if (!has(matrix, one)) out.push(`${agent}'s definition reads ${nameOf(one)}, the matrix does not: it is not loaded`);
    for (const one of matrix)
      if (!has(wanted, one)) out.push(`the matrix lets ${agent} read ${nameOf(one)}, its definition does not say so`);
  }
  return out;
}
