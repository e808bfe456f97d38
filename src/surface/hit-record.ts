/** A search hit for programs, the same for `--json`, `--batch` and other agents. Why it is there is told on request. */
import type { Result } from "../protocol/api/index.ts";

export function hitRecord(hit: Result<"knowledge.search">["hits"][number], why: boolean): Record<string, unknown> {
  return {
    path: hit.path,
    node: hit.node,
    ...(hit.external_id === undefined ? {} : { external_id: hit.external_id }),
    score: Math.round(hit.score * 10_000) / 10_000,
    lines: hit.lines === undefined ? null : [hit.lines.from, hit.lines.to],
    domain: hit.domain,
    title: hit.title,
    text: hit.text,
    ...(hit.text_line === undefined ? {} : { text_line: hit.text_line }),
    ...(why ? { why: hit.why } : {}),
    ...(hit.author === undefined ? {} : { author: hit.author }),
    ...(hit.time === undefined ? {} : { time: hit.time }),
    trust: hit.trust,
    ...(hit.warning === undefined ? {} : { warning: hit.warning }),
  };
}
