/**
 * Something new that others may use, and the project has nearly the same: what is known of the project is asked, and
 * the result of the change names it. Once for each name in a task; it costs no step, and nothing waits for an index.
 */
import { isAbort, messageOf, type Log } from "../../kernel/index.ts";
import type { ProjectKnowledge } from "../../knowledge/index.ts";
import type { Workspace } from "../../workspace/index.ts";
import type { PlannedAct, StepExtension } from "../extension.ts";
import { isTestPath } from "../verdict/changed-files.ts";
import { exportedIn, wordsOfName, type Exported } from "./exported-names.ts";

export interface ExistingCodeParts {
  knowledge: Pick<ProjectKnowledge, "refresh" | "search">;
  /** Whether it is wanted. */
  suggests: () => boolean;
  log: Log;
  redact: (text: string) => string;
}

/** New names looked up for one change, hits of one look, words of a body looked for, and places that are told. */
const MOST = { names: 4, hits: 8, words: 20, told: 2 };
/** An index that is not up to date by then is asked as it is. */
const PATIENCE_MS = 1_500;
const ALIKE = { name: 0.75, body: 0.6, bodyWords: 10 };

const dice = (a: ReadonlySet<string>, b: ReadonlySet<string>): number =>
  (2 * [...a].filter((one) => b.has(one)).length) / Math.max(1, a.size + b.size);

/** Names of many words that share nearly all, or code that says the same in other words. */
function alike(a: Exported, b: Exported): boolean {
  if (a.name === b.name) return wordsOfName(a.name).length > 1 || sameBody(a, b);
  const [x, y] = [new Set(wordsOfName(a.name)), new Set(wordsOfName(b.name))];
  const shared = [...x].filter((word) => y.has(word)).length;
  return (shared > 1 && dice(x, y) >= ALIKE.name) || sameBody(a, b);
}

/** The words of what it does, without its own name. */
function tokensOf({ body, name }: Exported): Set<string> {
  return new Set((body.match(/[A-Za-z_]\w+|"[^"]*"|'[^']*'/gu) ?? []).filter((one) => one !== name));
}

function sameBody(a: Exported, b: Exported): boolean {
  const [x, y] = [tokensOf(a), tokensOf(b)];
  return Math.min(x.size, y.size) >= ALIKE.bodyWords && dice(x, y) >= ALIKE.body;
}

/** Names that were not there before; what only moved or was named anew is not new. */
async function newNames(act: PlannedAct): Promise<{ path: string; one: Exported }[]> {
  const files = (await act.files()).filter(({ path }) => !isTestPath(path));
  const was = files.flatMap(({ path, before }) => exportedIn(path, before));
  return files.flatMap(({ path, before, after }) => {
    const [old, now] = [exportedIn(path, before), exportedIn(path, after)];
    const added = now.filter(({ name }) => !was.some((one) => one.name === name));
    const lost = old.filter(({ name }) => !now.some((one) => one.name === name)).length;
    return lost > 0 && lost >= added.length ? [] : added.map((one) => ({ path, one }));
  });
}

export function createExistingCode({ knowledge, suggests, log, redact }: ExistingCodeParts): StepExtension {
  const told = new Set<string>();
  const fresh = async (signal: AbortSignal): Promise<void> => {
    const patience = AbortSignal.timeout(PATIENCE_MS);
    try {
      await knowledge.refresh({ signal: AbortSignal.any([signal, patience]) });
    } catch (error) {
      if (signal.aborted || !(isAbort(error) || patience.aborted)) throw error;
    }
  };
  const similarTo = async (
    { one, path: own }: { path: string; one: Exported },
    { files }: Pick<Workspace, "files">,
    signal: AbortSignal,
  ) => {
    const text = `${wordsOfName(one.name).join(" ")} ${one.name}`;
    const inside = [...tokensOf(one)].slice(0, MOST.words).join(" ");
    const found = await Promise.all([text, inside].map((words) => knowledge.search({ text: words, domain: "code", k: MOST.hits, signal })));
    const hits = found.flatMap((each) => each.hits);
    const places: { path: string; line: number; signature: string }[] = [];
    for (const path of new Set(hits.map((hit) => hit.path))) {
      if (path === own || isTestPath(path) || places.length >= MOST.told) continue;
      // As it stands where the task works, which may be elsewhere than what was indexed.
      const same = exportedIn(path, (await files.source(path, signal)) ?? "").find((other) => alike(one, other));
      if (same !== undefined) places.push({ path, line: same.line, signature: same.signature });
    }
    return places;
  };
  return {
    name: "existing code",
    async vets(act, task, workspace, signal) {
      if (!suggests() || act.action.effect !== "files") return undefined;
      const names = (await newNames(act)).filter(({ one }) => !told.has(`${task.created.id} ${one.name}`)).slice(0, MOST.names);
      if (names.length === 0) return undefined;
      const notes: string[] = [];
      try {
        await fresh(signal);
        for (const name of names) {
          told.add(`${task.created.id} ${name.one.name}`);
          const places = (await similarTo(name, workspace, signal)).map(
            ({ path, line, signature }) => `${path}:${line} ${redact(signature)}`,
          );
          if (places.length > 0) notes.push(`the project has something like ${name.one.name}: ${places.join(", ")}; use it if it serves`);
        }
      } catch (error) {
        if (signal.aborted) throw error;
        // A hint is not worth a step.
        log.warn("what is like something new was not found", { reason: messageOf(error) });
      }
      return notes.length === 0 ? undefined : { kind: "noted", note: notes.join("; ") };
    },
  };
}
