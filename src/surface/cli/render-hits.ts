/** Search hits for people. */
import { wording } from "../../kernel/index.ts";
import type { Result } from "../../protocol/api/index.ts";
import type { Output } from "./output.ts";
import { visibleLine } from "./visible-text.ts";

type Hit = Result<"knowledge.search">["hits"][number];

/** What can be pasted into `sylk history show`, or for a commit into git. */
function idOf(hit: Hit): string {
  return hit.external_id ?? (hit.node.startsWith("commit:") ? hit.node.slice(0, COMMIT_CHARS) : hit.node);
}

const COMMIT_CHARS = "commit:".length + 10;

export function renderHit(hit: Hit, place: number, explain: boolean, out: Output): string {
  const where =
    hit.domain === "history"
      ? `${hit.time?.slice(0, 10) ?? "          "}  ${idOf(hit)}`
      : `${visibleLine(hit.path)}${hit.lines === undefined ? "" : `:${hit.lines.from}-${hit.lines.to}`}`;
  const head = `${String(place).padStart(3)}  ${hit.score.toFixed(2)}  ${out.style("bold", where)}${hit.title === "" ? "" : `  ${out.style("dim", hit.title)}`}`;
  const said = hit.domain === "history" && !hit.text.includes("\n") ? [] : hit.text.split("\n");
  const lines = said.map((line, i) => `${" ".repeat(TEXT_INDENT)}${numberOf(hit, i)}${line}`);
  return [
    head,
    ...(explain ? [`${" ".repeat(TEXT_INDENT)}${hit.why.join("; ")}`] : []),
    ...lines.map((line) => out.style("dim", line)),
  ].join("\n");
}

const TEXT_INDENT = 11;

function numberOf({ text_line: first }: Hit, i: number): string {
  return first === undefined ? "" : `${String(first + i).padStart(4)}  `;
}

export function nothingFound(query: string, { indexing }: { indexing?: unknown }): string {
  const whole = indexing === undefined ? "try other words, or another --domain" : "not everything was read yet, ask again in a moment";
  return `nothing found for "${wording.shorten(query, 60)}"; ${whole}`;
}
