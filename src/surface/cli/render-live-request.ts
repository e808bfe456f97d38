/** A request while it runs, in lines that fit the room: a tree of its pieces, what each does, what waits for the user. */
import { shortIds, wording } from "../../kernel/index.ts";
import type { Result } from "../../protocol/api/index.ts";
import type { Output, Room } from "./output.ts";
import { elapsed, money, SIGNS, WORDS } from "./render-request.ts";

type Detail = Result<"request.show">;
type Piece = Detail["work"][number];

/** What a task does at this moment, and since when; `at`: undefined where its seconds say nothing. */
export interface Doing {
  what: string;
  at: number | undefined;
}

/** From this width on what a piece does stands beside it. */
const WIDE = 100;
const DEEPEST = 3;
/** Of a command beside its seconds. */
const SHORT = 44;

const short = (count: number): string => (count < 1_000 ? `${count}` : `${(count / 1_000).toFixed(1)}k`);

/** How many others must be there first, one after the other. */
function depthOf(piece: Piece, work: readonly Piece[], seen: readonly string[] = []): number {
  const needs = work.filter(({ id }) => piece.after.includes(id) && !seen.includes(id));
  return needs.length === 0 ? 0 : 1 + Math.max(...needs.map((one) => depthOf(one, work, [...seen, piece.id])));
}

export interface Standing {
  detail: Detail;
  doing: ReadonlyMap<string, Doing>;
  now: number;
  /** What stands before a word that answers. */
  sign: string;
}

/** The clock is seen, however long the command is. */
const sinceWhen = (what: string, ms: number): string => `${wording.oneLine(what, SHORT)} ${elapsed(ms)}`;

function doingText({ doing }: Pick<Piece, "doing">, standing: Standing): string {
  if (doing === undefined) return "";
  const live = standing.doing.get(doing.task);
  const what = live === undefined ? doing.does : live.at === undefined ? live.what : sinceWhen(live.what, standing.now - live.at);
  return `${doing.role}, step ${doing.step}${what === "" ? "" : `: ${what}`}`;
}

/** Commands of the request itself, which nobody's step runs: its checks. */
function checkLines({ detail, doing, now }: Standing): string[] {
  const shown = new Set([detail, ...detail.work].map((one) => one.doing?.task));
  return [...doing].flatMap(([task, { what, at }]) =>
    shown.has(task) || !what.startsWith("$ ") || at === undefined ? [] : [`check ${sinceWhen(what, now - at)}`],
  );
}

function pieceLines(piece: Piece, standing: Standing, columns: number, out: Output): [line: string, doing?: string] {
  const { id, title, state, attempt, since, after, cost_usd: usd } = piece;
  const pad = "  ".repeat(1 + Math.min(DEEPEST, depthOf(piece, standing.detail.work)));
  const sign = SIGNS[state] ?? "▸";
  const colour = sign === "✓" ? "green" : sign === "▸" ? "cyan" : sign === "?" || sign === "!" ? "yellow" : "dim";
  const notes = [
    `${WORDS[state] ?? state}${state === "waiting" && after.length > 0 ? ` for ${after.join(", ")}` : ""}`,
    since === undefined ? "" : elapsed(standing.now - since),
    attempt > 1 ? `attempt ${attempt}` : "",
    usd > 0 ? money(usd) : "",
  ].filter((note) => note !== "");
  const behind = notes.join("  ");
  const room = Math.max(8, columns - pad.length - id.length - behind.length - 5);
  const line = `${pad}${out.style(colour, sign)} ${id} ${wording.oneLine(title, room)}  ${out.style("dim", behind)}`;
  const does = state === "needs_you" ? piece.why : since === undefined ? "" : doingText(piece, standing);
  if (does === "") return [line];
  const left = columns - pad.length - id.length - Math.min(room, title.length) - behind.length - 7;
  if (columns >= WIDE && left >= 30) return [`${line}  ${out.style("dim", wording.oneLine(does, left))}`];
  return [line, `${pad}  ${out.style("dim", wording.oneLine(does, Math.max(8, columns - pad.length - 3)))}`];
}

function waitingLines({ detail: { questions }, sign }: Standing, columns: number, out: Output): string[] {
  if (questions.length === 0) return [];
  return [
    out.style("yellow", `waiting for you (${questions.length})`),
    ...questions.map(({ id, text, answers }) => {
      const how = answers.length === 0 ? "…" : wording.oneLine(answers.join("|"), Math.max(9, Math.min(40, columns - 45)));
      const word = `${sign}answer ${shortIds.shorten(id)} ${how}`;
      return `  ${out.style("yellow", "?")} ${wording.oneLine(text, Math.max(12, columns - word.length - 6))}  ${out.style("dim", word)}`;
    }),
  ];
}

/** So many of them, in words. */
function folded(pieces: readonly Piece[]): string[] {
  const states = [...new Set(pieces.map(({ state }) => state))];
  const words = states.map((state) => `${pieces.filter((one) => one.state === state).length} ${WORDS[state] ?? state}`);
  return pieces.length === 0 ? [] : [`  … ${words.join(", ")}`];
}

const isAtWork = ({ state, since }: Piece): boolean => since !== undefined || state === "needs_you" || state === "blocked";

/** Whoever works comes first where there is no room for all; then what waits, in a word. */
export function liveLines(standing: Standing, { columns, rows }: Room, out: Output): string[] {
  const { detail, now } = standing;
  const { work, usage, merged, pieces, status, created_at: began } = detail;
  const own = doingText(detail, standing);
  const head = [
    status.replaceAll("_", " "),
    ...(pieces === 0 ? [] : [`${merged}/${pieces} merged`]),
    `${short(usage.input + usage.output)} tokens`,
    ...(columns < 70 ? [] : [`${usage.calls} call${usage.calls === 1 ? "" : "s"}`]),
    money(detail.cost_usd),
    elapsed(now - began),
  ].join(" · ");
  const first = [
    `${out.style("bold", wording.oneLine(head, Math.max(8, columns - 1)))}`,
    ...[own, ...checkLines(standing)].flatMap((line) =>
      line === "" ? [] : [`  ${out.style("dim", wording.oneLine(line, Math.max(8, columns - 3)))}`],
    ),
  ];
  const waiting = waitingLines(standing, columns, out);
  const busy = work.filter(isAtWork);
  const rest = work.filter((piece) => !isAtWork(piece));
  const lines = (shown: readonly Piece[], brief: boolean): string[] =>
    shown.flatMap((piece) => pieceLines(piece, standing, columns, out).slice(0, brief ? 1 : 2) as string[]);
  const ways = [
    [...first, ...lines(work, false), ...waiting],
    [...first, ...lines(busy, false), ...folded(rest), ...waiting],
    [...first, ...lines(busy, true), ...folded(rest), ...waiting],
    [...first, ...folded(work), ...waiting],
  ];
  const fits = ways.find((way) => way.length <= rows);
  return fits ?? [...first.slice(0, 1), ...waiting, ...folded(work)].slice(0, rows);
}
