/** Progress of indexing: overwrites itself on a terminal, a line now and then elsewhere when it takes long. */
import type { App } from "../../app/index.ts";
import type { Output } from "./output.ts";

type OnProgress = NonNullable<Parameters<App["knowledge"]["index"]>[0]["onProgress"]>;

const WORDS = {
  listing: "listing files",
  reading: "reading files",
  history: "reading git history",
  linking: "linking",
  embedding: "embedding",
};
const COUNTED: ReadonlySet<string> = new Set(["reading", "embedding"]);
const NOTE_EVERY = 1_000;

export function indexProgress(out: Output): OnProgress {
  let noted = 0;
  return ({ phase, done, total }) => {
    const text = COUNTED.has(phase) ? `${WORDS[phase]} ${done} of ${total}` : WORDS[phase];
    if (out.interactive) {
      out.progress(text);
      return;
    }
    if (!COUNTED.has(phase) || total < NOTE_EVERY || done - noted < NOTE_EVERY) return;
    noted = done;
    out.note(text);
  };
}
