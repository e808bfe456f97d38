/** What a model's input was made of: each part with its tokens, the largest first, and what was cut to make it fit. */
import type { Result } from "../../protocol/api/index.ts";

const BAR = 24;

export function renderSections({ step, tokens, counted_tokens: counted, sections, cuts }: Result<"task.context">): string {
  const named = Object.values(sections).reduce((sum, size) => sum + size, 0);
  // Records of earlier versions do not name it.
  const framing = (sections["message_framing"] ?? 0) + tokens - named;
  const parts = Object.entries({ ...sections, message_framing: framing })
    .filter(([, size]) => size > 0)
    .toSorted(([, a], [, b]) => b - a);
  const width = Math.max(...parts.map(([name]) => name.length));
  const lines = parts.map(([name, size]) => {
    const bar = "█".repeat(Math.max(1, Math.round((size / Math.max(1, tokens)) * BAR)));
    return `  ${name.replaceAll("_", " ").padEnd(width)} ${String(size).padStart(7)}  ${`${Math.round((100 * size) / tokens)} %`.padStart(5)}  ${bar}`;
  });
  const cut = cuts.length === 0 ? "nothing was cut" : `${cuts.length} ${cuts.length === 1 ? "part was" : "parts were"} cut to fit`;
  const truly = counted === undefined ? "is being asked now" : `the model's provider counted ${counted}`;
  return [`step ${step}: ${tokens} tokens in, estimated; ${truly}; ${cut}`, ...lines].join("\n");
}
