/** Long work, and how far it is: overwrites itself on a terminal, a line now and then elsewhere when it takes long. */
import type { LivePart, Result } from "../../protocol/api/index.ts";
import type { CliContext } from "./command.ts";
import type { Output } from "./output.ts";

type Progress = LivePart & { type: "progress" };

/** Does the work and shows the progress told about it meanwhile. That some of it is lost stops nobody. */
export async function withProgress<T>(
  cli: CliContext,
  about: Progress["about"],
  show: (part: Progress) => void,
  work: () => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const parts = (await cli.api()).live({ about }, AbortSignal.any([cli.signal, over.signal]));
  const follow = async (): Promise<void> => {
    for await (const part of parts) if (part.type === "progress") show(part);
  };
  const shown = follow().catch(() => undefined);
  try {
    return await work();
  } finally {
    over.abort();
    await shown;
  }
}

const WORDS: Readonly<Record<string, string>> = {
  listing: "listing files",
  reading: "reading files",
  history: "reading git history",
  linking: "linking",
  embedding: "embedding",
};
const COUNTED: ReadonlySet<string> = new Set(["reading", "embedding"]);
const NOTE_EVERY = 1_000;

function indexProgress(out: Output): (part: Progress) => void {
  let noted = 0;
  return ({ what, done = 0, total = 0 }) => {
    const text = COUNTED.has(what) ? `${WORDS[what]} ${done} of ${total}` : (WORDS[what] ?? what);
    if (out.interactive) {
      out.progress(text);
      return;
    }
    if (!COUNTED.has(what) || total < NOTE_EVERY || done - noted < NOTE_EVERY) return;
    noted = done;
    out.note(text);
  };
}

/** Work on the index. */
export function indexing<T>(cli: CliContext, work: () => Promise<T>): Promise<T> {
  return withProgress(cli, "index", indexProgress(cli.out), work).finally(() => {
    if (cli.out.interactive) cli.out.progress("");
  });
}

/** How far reading is when an answer cannot wait for it: a note for people, a field for programs. */
type Indexing = { indexing?: Result<"knowledge.refresh">["indexing"] };

/** Brings the index up to date, as far as an answer may wait; once before searching. */
export async function refreshIndex(cli: CliContext, { whole = false } = {}): Promise<Indexing> {
  const fresh = await indexing(cli, () => cli.send({ type: "knowledge.refresh", whole }));
  if (fresh.indexing === null) return {};
  cli.out.note(`${fresh.indexing.note}; the next search or \`sylk index\` reads on`);
  return fresh;
}

/** Of reading the journal anew. A terminal sees it count; elsewhere it is said once. */
export function buildProgress(out: Output): (progress: { done: number; total: number }) => void {
  let said = false;
  return ({ done, total }) => {
    const text = `reading the journal anew, as after an update: ${done} of ${total} events`;
    if (out.interactive) out.progress(text);
    else if (!said) out.note(text);
    said = true;
  };
}
