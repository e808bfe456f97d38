/**
 * What a step may see of its agent's memory: its own files within the budget (SID-004), and others'
 * files read-only, each load weighed first and made smaller when it does not fit (XRF-003…008).
 * Nothing here can create or change a file, and nothing that is missing or broken stops the work.
 */
import { isoTime, sha256 } from "../../kernel/index.ts";
import { CHOICES, type RoleSpec } from "../../protocol/index.ts";
import { tokensOf } from "./budget.ts";
import { parseDecisions, type DecisionLog, type LoggedDecision } from "./decision-log.ts";
import { filesOfTier, sessionBudget, tierOf, type MemoryConfig } from "./memory-config.ts";
import { asText, readSidecar } from "./sidecar-store.ts";

export interface LoadedReference {
  agent: string;
  file: string;
  mode: string;
  sha256: string;
  tokens: number;
  text: string;
}

export interface LoadedMemory {
  agent: string;
  tier: 1 | 2 | 3;
  decisions: LoggedDecision[];
  /** Decisions that did not fit. */
  left_out: number;
  context: string;
  ground_truth: string;
  references: LoadedReference[];
  downgrades: string[];
  warnings: string[];
  tokens: { own: number; references: number; budget: number | null };
}

export interface LoadRequest {
  memoryDir: string;
  config: MemoryConfig;
  agent: string;
  nowMs: number;
  /** Further than the tier's budget: the room of the step that asks. */
  limitTokens?: number | undefined;
  recentN?: number | undefined;
}

function readText(memoryDir: string, agent: string, file: string, warnings: string[]): { text: string; bytes: Buffer } | undefined {
  const bytes = readSidecar(memoryDir, agent, file);
  if (bytes === undefined) return undefined;
  const { text, readable } = asText(bytes);
  if (readable) return { text, bytes };
  warnings.push(`${agent}/${file} is not text; it was left alone`);
  return undefined;
}

/** Entries that are text count, also between garbage; nothing here writes, so nothing of the rest is lost. */
function readLog(memoryDir: string, agent: string, warnings: string[]): DecisionLog {
  const bytes = readSidecar(memoryDir, agent, "decision-log.md");
  if (bytes === undefined) return { preamble: "", entries: [] };
  const { text, readable } = asText(bytes);
  const log = parseDecisions(text);
  if (readable) return log;
  const entries = log.entries.filter((entry) => !/[\0\uFFFD]/.test(entry.raw));
  warnings.push(`${agent}/decision-log.md is partly not text; ${entries.length} of its entries can be read`);
  return { ...log, entries };
}

/** Newest first: by date, then by place in the file. */
const newestFirst = (entries: readonly LoggedDecision[]): LoggedDecision[] =>
  entries
    .map((entry, at) => ({ entry, at }))
    .toSorted((a, b) => (a.entry.date === b.entry.date ? b.at - a.at : a.entry.date < b.entry.date ? 1 : -1))
    .map(({ entry }) => entry);

export function loadSidecar(request: LoadRequest): LoadedMemory {
  const { memoryDir, config, agent } = request;
  const tier = tierOf(config, agent);
  const files = filesOfTier(tier);
  const warnings: string[] = [];
  const budget = Math.min(sessionBudget(config, agent) ?? Infinity, request.limitTokens ?? Infinity);
  const truth = files.includes("ground-truth.md") ? (readText(memoryDir, agent, "ground-truth.md", warnings)?.text ?? "") : "";
  const context = files.includes("conversation-context.md")
    ? (readText(memoryDir, agent, "conversation-context.md", warnings)?.text ?? "")
    : "";
  const log = readLog(memoryDir, agent, warnings);
  for (const entry of log.entries) for (const warning of entry.warnings) warnings.push(`${agent}: “${entry.title}”: ${warning}`);
  const wanted = newestFirst(log.entries.filter((entry) => entry.status === "active")).slice(0, request.recentN ?? config.recent_n);
  let own = 0;
  const fits = (text: string): boolean => {
    const tokens = tokensOf(text);
    if (own + tokens > budget) return false;
    own += tokens;
    return true;
  };
  const keptContext = fits(context) ? context : "";
  if (keptContext !== context) warnings.push(`${agent}/conversation-context.md does not fit the budget`);
  const decisions: LoggedDecision[] = [];
  for (const entry of wanted) {
    if (!fits(entry.raw)) break;
    decisions.push(entry);
  }
  const keptTruth = fits(truth) ? truth : "";
  if (keptTruth !== truth) warnings.push(`${agent}/ground-truth.md does not fit the budget`);
  const loaded: LoadedMemory = {
    agent,
    tier,
    decisions,
    left_out: wanted.length - decisions.length,
    context: keptContext,
    ground_truth: keptTruth,
    references: [],
    downgrades: [],
    warnings,
    tokens: { own, references: 0, budget: Number.isFinite(budget) ? budget : null },
  };
  for (const reference of config.cross_references[agent]?.reads_from ?? []) loadReference(request, reference, loaded, budget);
  return loaded;
}

function inMode(text: string, file: string, mode: (typeof CHOICES.referenceMode)[number], request: LoadRequest): string {
  if (mode === "summary") return (text.match(/^(#{1,6} |\*\*\[).*$/gm) ?? []).join("\n");
  if (mode === "full" || file !== "decision-log.md") return text;
  const { entries } = parseDecisions(text);
  const sprints = [...new Set(entries.map((entry) => entry.sprint).filter((sprint) => sprint !== ""))].slice(-2);
  const since = isoTime(request.nowMs - request.config.recent_days * 86_400_000).slice(0, 10);
  return entries
    .filter((entry) => (sprints.length > 0 ? sprints.includes(entry.sprint) : entry.date >= since))
    .map((entry) => entry.raw)
    .join("");
}

function loadReference(request: LoadRequest, reference: RoleSpec["reads_from"][number], loaded: LoadedMemory, budget: number): void {
  const { agent, file, required } = reference;
  const found = readText(request.memoryDir, agent, file, loaded.warnings);
  if (found === undefined) {
    if (required) loaded.warnings.push(`${agent}/${file} is wanted and not there`);
    return;
  }
  const cap = request.config.cross_references[request.agent]?.cross_ref_budget_cap ?? 1;
  const room = Math.min(budget - loaded.tokens.own - loaded.tokens.references, budget * cap - loaded.tokens.references);
  const total = loaded.tokens.budget ?? 0;
  let from: string = reference.mode;
  for (const mode of CHOICES.referenceMode.slice(CHOICES.referenceMode.indexOf(reference.mode))) {
    const text = inMode(found.text, file, mode, request);
    const tokens = tokensOf(text);
    if (mode !== from) {
      loaded.downgrades.push(
        `Cross-ref downgraded: ${agent}/${file} from ${from} to ${mode} — budget ${loaded.tokens.own + loaded.tokens.references}/${total}`,
      );
      from = mode;
    }
    if (tokens > room) continue;
    if (text !== "") loaded.references.push({ agent, file, mode, sha256: sha256(found.bytes), tokens, text });
    loaded.tokens.references += tokens;
    return;
  }
  loaded.downgrades.push(
    `Cross-ref downgraded: ${agent}/${file} from ${from} to skip — budget ${loaded.tokens.own + loaded.tokens.references}/${total}`,
  );
}

/** References whose file changed since they were loaded. */
export function staleReferences(memoryDir: string, loaded: readonly { agent: string; file: string; sha256: string }[]): string[] {
  return loaded.flatMap(({ agent, file, sha256: then }) => {
    const bytes = readSidecar(memoryDir, agent, file);
    return bytes !== undefined && sha256(bytes) === then ? [] : [`${agent}/${file}`];
  });
}
