/** A request as it happens, line by line, from this process or another. */
import { wording } from "../kernel/index.ts";
import type { Api, Result } from "../protocol/api/index.ts";
import { readFlowEvent, STREAMS } from "../protocol/events/index.ts";
import type { WireEvent } from "../protocol/index.ts";

/** One thing that happened: to the request (no piece) or to a piece of it. */
export interface RequestLine {
  type: "request";
  id: string;
  piece?: string | undefined;
  what: string;
  text: string;
  ok?: boolean | undefined;
}

const PHASES: Readonly<Record<string, string>> = {
  red: "the Tester writes tests that fail",
  green: "the Engineer builds",
  reconcile: "the Reconciler combines both sides",
  inspect: "the Inspector looks, the held-out tests run",
};

const STANDS = {
  same_contents: "these very contents were reviewed",
  same_change: "its own change is the one that was reviewed",
} as const;

const count = (n: number, one: string): string => `${n} ${one}${n === 1 ? "" : "s"}`;
const firstLine = (text: string): string => text.split("\n", 1)[0] ?? "";

/** Pieces by the stream they have, as they are spawned. */
class RequestLines {
  readonly #id: string;
  readonly #pieces = new Map<string, string>();

  constructor(id: string) {
    this.#id = id;
  }

  of({ type, payload, stream }: WireEvent): RequestLine[] {
    const event = readFlowEvent(type, payload);
    if (event === undefined) return [];
    const piece = this.#pieces.get(stream);
    if (stream !== STREAMS.request(this.#id) && stream !== STREAMS.message(this.#id) && piece === undefined) return [];
    // Others wrote much of it: a line is one line.
    const line = (what: string, said: string, ok?: boolean): RequestLine[] => {
      const of = piece === undefined ? {} : { piece };
      return [{ type: "request", id: this.#id, ...of, what, text: wording.oneLine(said), ...(ok === undefined ? {} : { ok }) }];
    };
    switch (event.type) {
      case "request.classified": {
        const { kind, confidence, reading, by } = event.payload;
        if (by === "user") return line("reading", `you meant: ${reading}`, true);
        return line(
          "reading",
          kind === "ambiguous" ? "it is not clear what is meant" : `understood as: ${reading} (${kind}, ${confidence})`,
        );
      }
      case "plan.drafted": {
        const { plan, plan_version: version } = event.payload;
        return line("plan", `plan ${version}: ${count(plan.assertions.length, "assertion")}, ${count(plan.nodes.length, "piece")} of work`);
      }
      case "plan.refused":
        return line("plan", `it cannot be carried out: ${event.payload.problems.join("; ")}`, false);
      case "plan.approved": {
        const { changes } = event.payload;
        return [
          ...line("plan", "approved", true),
          ...(changes === undefined ? [] : changes.split("\n").flatMap((one) => line("plan", one))),
        ];
      }
      case "request.shaped":
        return line("shape", event.payload.mode === "solo" ? `one pipeline: ${event.payload.why}` : `a team: ${event.payload.why}`);
      case "pipeline.spawned":
        this.#pieces.set(STREAMS.pipeline(event.payload.pipeline), event.payload.node);
        return [];
      case "pipeline.opened":
        return line("begins", event.payload.node.title);
      case "pipeline.phase_began":
        return line(
          "phase",
          `${PHASES[event.payload.phase] ?? event.payload.phase}${event.payload.attempt > 1 ? ` (attempt ${event.payload.attempt})` : ""}`,
        );
      case "pipeline.red_shown": {
        const { failing, held_out: held, already_satisfied: isThere } = event.payload;
        if (isThere === true) return line("red", "its tests pass before anything is built: already satisfied, and judged as it is");
        return line(
          "red",
          `${count(failing.length, "test")} fail as they should${held.length === 0 ? "" : `; ${count(held.length, "file")} held out`}`,
          true,
        );
      }
      case "pipeline.test_contested":
        return line("contested", `the builder says that "${event.payload.test}" asks for something else: the Tester looks at it again`);
      case "pipeline.test_weighed": {
        const isRight = event.payload.how === "upheld";
        return line(
          "weighed",
          `the Tester ${isRight ? "keeps the test" : "corrected the test"}: ${firstLine(event.payload.why)}`,
          !isRight,
        );
      }
      case "pipeline.way_tried": {
        const { way, commit, failing, lines, report } = event.payload;
        if (commit === undefined) return line("tried", `way ${way} came to nothing: ${firstLine(report)}`, false);
        const how = failing.length === 0 ? "all tests pass" : `${count(failing.length, "test")} fail`;
        return line("tried", `way ${way}: ${how}, ${count(lines, "line")} changed`, failing.length === 0);
      }
      case "pipeline.handed_over": {
        const { kept_way: way, report } = event.payload;
        return line("built", `${way === undefined ? "" : `way ${way} is kept, the others are dropped: `}${firstLine(report)}`, true);
      }
      case "pipeline.rebased": {
        const { files, disputed } = event.payload;
        const structural = files.filter((file) => file.how === "by_structure").map((file) => file.path);
        if (disputed.length > 0) return line("rebased", `${disputed.join(", ")}: no merge could combine it`, false);
        return line(
          "rebased",
          `took in what others merged (${count(files.length, "file")})${structural.length === 0 ? "" : `; ${structural.join(", ")} merged by structure`}`,
        );
      }
      case "pipeline.judged": {
        const { passed, checks, findings, review_stands: stands } = event.payload;
        const again = stands === undefined ? "" : `; not read again, ${STANDS[stands.why]}`;
        const red = checks.filter((check) => !check.passed).map((check) => check.summary);
        const held = findings.filter((one) => one.blocks).map((one) => one.text);
        const against = findings.flatMap(({ text, alignment }) =>
          alignment?.decision === "BLOCKED"
            ? line("blocked", `not sent, it breaks your limit "${alignment.conflicts_with_constraints.join('", "')}": ${text}`, false)
            : [],
        );
        return [...line("judged", passed ? `passes${again}` : ["does not pass", ...red, ...held].join("; "), passed), ...against];
      }
      case "pipeline.returned":
        return line(
          "returned",
          `back to the ${event.payload.message.to === "tester" ? "Tester" : "builder"}, attempt ${event.payload.attempt}`,
        );
      case "pipeline.merged":
        return line("merged", `merged (${count(event.payload.files.length, "file")})`, true);
      case "pipeline.held":
        return line("held", `rests: ${event.payload.by} changes ${event.payload.symbols.join(", ")} too`, false);
      case "pipeline.released":
        return line("goes_on", event.payload.merged ? "goes on with what was merged meanwhile" : "goes on");
      case "pipeline.waits":
      case "request.waits":
        return line("needs_you", firstLine(event.payload.text), false);
      case "pipeline.late":
        return line("late", event.payload.why, false);
      case "pipeline.acknowledged": {
        const { signal, stands, running } = event.payload;
        return line(
          "signal",
          `${signal}: ${stands.replace("_", " ")}${running.length === 0 ? "" : `; still running: ${running.join(", ")}`}`,
        );
      }
      case "pipeline.told":
        return line("told", `you said: ${firstLine(event.payload.words)}`);
      case "pipeline.skipped":
        return line("skipped", `${event.payload.node} is left out: ${event.payload.why}`, false);
      case "pipeline.blocked":
        return line("blocked", `${event.payload.node} is blocked: ${event.payload.why}`, false);
      case "pipeline.unblocked":
        return line("unblocked", `${event.payload.node} may be built again`, true);
      case "plan.replanned": {
        const { replaces, nodes } = event.payload;
        const fresh = nodes.map(({ id, title }) => `${id} ${title}`).join(", ");
        if (replaces.length === 0) return line("plan", fresh === "" ? "nothing more to build for it" : `more to build: ${fresh}`);
        return line("plan", `${replaces.join(", ")} ${fresh === "" ? "not in the plan any more" : `planned anew: ${fresh}`}`);
      }
      case "request.added":
        return line("told", `you added: ${firstLine(event.payload.words)}`);
      case "plan.unchanged":
        return line("plan", `it goes on as planned before: ${event.payload.why}`, false);
      case "request.judged": {
        const { passed, checks, findings, review_stands: stands } = event.payload;
        const again = stands === undefined ? "" : `; not read again, it was reviewed as ${stands.piece}`;
        const red = [
          ...checks.filter((check) => !check.passed).map((check) => check.summary),
          ...findings.filter((one) => one.blocks).map((one) => one.text),
        ];
        return line(
          "judged",
          passed
            ? `the whole passes (${checks.map((check) => check.command).join(", ")})${again}`
            : `the whole is not right: ${red.join("; ")}`,
          passed,
        );
      }
      case "message.expired": {
        const { from, to, question } = event.payload;
        return line("late", `${to} did not answer ${from} in time: ${firstLine(question)}`, false);
      }
      case "request.repairing":
        return line("repairs", `what was found becomes work: ${event.payload.nodes.map(({ id, title }) => `${id} ${title}`).join(", ")}`);
      default:
        return [];
    }
  }
}

type Detail = Result<"request.show">;

/** What happened so far and, while `work` runs, what happens; asked again, what was not told yet. */
export function followRequest(
  api: Api,
  id: string,
  onLine: (line: RequestLine) => void,
  signal: AbortSignal,
): <T>(work: () => Promise<T>) => Promise<T> {
  const lines = new RequestLines(id);
  let seen = 0;
  return async (work) => {
    const { created_at: since }: Pick<Detail, "created_at"> = await api.query({ type: "request.show", id }, signal);
    const show = async (until: number | undefined, stop: AbortSignal): Promise<void> => {
      for await (const event of api.events({ types: TYPES, until }, seen, stop)) {
        seen = event.position;
        if (event.at >= since) lines.of(event).forEach(onLine);
      }
    };
    const over = new AbortController();
    const shown = show(undefined, AbortSignal.any([signal, over.signal])).catch(() => undefined);
    const rest = async (): Promise<void> => {
      over.abort();
      await shown;
      await show((await api.query({ type: "journal.head" })).position, new AbortController().signal);
    };
    try {
      return await work();
    } finally {
      await rest().catch(() => undefined);
    }
  };
}

const TYPES = [
  "request.classified",
  "plan.drafted",
  "plan.refused",
  "plan.approved",
  "request.shaped",
  "request.waits",
  "request.judged",
  "request.repairing",
  "pipeline.spawned",
  "pipeline.skipped",
  "pipeline.blocked",
  "pipeline.unblocked",
  "plan.replanned",
  "plan.unchanged",
  "request.added",
  "pipeline.opened",
  "pipeline.phase_began",
  "pipeline.red_shown",
  "pipeline.test_contested",
  "pipeline.test_weighed",
  "pipeline.way_tried",
  "pipeline.handed_over",
  "pipeline.rebased",
  "pipeline.judged",
  "pipeline.returned",
  "pipeline.merged",
  "pipeline.held",
  "pipeline.released",
  "pipeline.waits",
  "pipeline.late",
  "pipeline.acknowledged",
  "pipeline.told",
  "message.expired",
];
