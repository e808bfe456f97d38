/** Holds what requests, their pieces and their trees do against the laws. */
import { EVENTS, STREAMS, type JournalEvent } from "../../../src/protocol/events/index.ts";
import type { MemoryRepository } from "../../support/memory-repository.ts";
import type { Life, Timeline } from "../timeline.ts";
import { Witness } from "../witness.ts";

interface SeenPiece {
  node: string;
  request: string;
  tree: string | undefined;
  /** The common tree holds a commit of it. */
  taken: boolean;
  merged: number;
  ended: string | undefined;
}

interface SeenRequest {
  ended: string | undefined;
  deferred: string[];
  nodes: string[];
  pieces: Record<string, string>;
  integration: string | undefined;
  /** How often the person wanted more. */
  additions: number;
}

/** Written by whoever looks after a piece, or by the user; everything else only by its owner. */
const BY_OTHERS: readonly string[] = [
  "pipeline.opened",
  "pipeline.late",
  "pipeline.ended",
  "pipeline.rested",
  "request.created",
  "request.added",
  "request.ended",
];

export class TeamWitness extends Witness {
  readonly pieces = new Map<string, SeenPiece>();
  readonly requests = new Map<string, SeenRequest>();
  readonly #repository: MemoryRepository;

  constructor(timeline: Timeline, repository: MemoryRepository) {
    super(timeline, "one");
    this.#repository = repository;
  }

  /** A life is about to change a tree. */
  changes(life: Life, tree: string): void {
    if (!life.alive) this.breaks("the dead do nothing", `${life.name} in ${tree}`);
    const isCommon = [...this.requests.values()].some(({ integration }) => integration === tree);
    if (isCommon && !this.owns(life, `integration/${tree}`)) this.breaks("one at a time in the common tree", `${life.name} in ${tree}`);
  }

  protected wrote(life: Life, event: JournalEvent): void {
    const what = `${event.type} of ${event.stream} by ${life.name}`;
    if (/^(?:pipeline|request)\//u.test(event.stream) && !BY_OTHERS.includes(event.type) && !this.owns(life, event.stream))
      this.breaks("only the owner writes", what);
    if (event.stream.startsWith("request/")) this.#ofRequest(event);
    if (event.stream.startsWith("pipeline/")) this.#ofPiece(event, what);
  }

  #ofRequest(event: JournalEvent): void {
    const id = event.stream.slice("request/".length);
    const seen = this.requests.get(id) ?? { ended: undefined, deferred: [], nodes: [], pieces: {}, integration: undefined, additions: 0 };
    this.requests.set(id, seen);
    if (EVENTS.request.shaped.is(event)) seen.nodes = event.payload.nodes.map((node) => node.id);
    if (EVENTS.request.added.is(event)) seen.additions += 1;
    if (EVENTS.request.repairing.is(event) || EVENTS.request.replanned.is(event))
      seen.nodes.push(...event.payload.nodes.map((node) => node.id));
    if (EVENTS.request.integrated.is(event)) seen.integration = event.payload.tree;
    if (EVENTS.request.spawned.is(event)) {
      if (seen.pieces[event.payload.node] !== undefined) this.breaks("a piece begins once", `${event.payload.node} of ${id}`);
      seen.pieces[event.payload.node] = event.payload.pipeline;
    }
    if (EVENTS.request.ended.is(event)) {
      if (seen.ended === undefined || event.payload.how === "cancelled") seen.ended = event.payload.how;
      else if (seen.ended !== "cancelled") this.breaks("over means over", `${id} ended twice`);
      seen.deferred = event.payload.deferred;
    }
  }

  #ofPiece(event: JournalEvent, what: string): void {
    const id = event.stream.slice("pipeline/".length);
    if (EVENTS.pipeline.opened.is(event)) {
      const { node, request } = event.payload;
      this.pieces.set(id, { node: node.id, request, tree: undefined, taken: false, merged: 0, ended: undefined });
      return;
    }
    const piece = this.pieces.get(id);
    if (piece === undefined) return this.breaks("a piece begins first", what);
    if (EVENTS.pipeline.treeMade.is(event)) piece.tree = event.payload.tree;
    if (EVENTS.pipeline.merged.is(event)) {
      piece.merged += 1;
      if (piece.merged > 1) this.breaks("merged once", what);
      const marks = this.#marks(piece.request, id);
      if (marks !== 1 && !(marks === 0 && this.#isInCommon(piece))) this.breaks("no fact before its effect", `${what}: ${marks} commits`);
    }
    if (EVENTS.pipeline.ended.is(event)) {
      if (event.payload.how === "merged" && piece.merged === 0) this.breaks("no fact before its effect", what);
      piece.ended = event.payload.how;
    }
  }

  /** Commits of the common tree that are this piece's. */
  #marks(request: string, piece: string): number {
    const tree = this.requests.get(request)?.integration;
    if (tree === undefined || !this.#repository.trees.has(tree)) return 0;
    return this.#repository.log(tree, "").filter(({ message }) => message.includes(`Sylk-Piece: ${piece}`)).length;
  }

  /** A piece that found its work done already: its tree, whole, is what the common one holds. */
  #isInCommon({ request, tree }: SeenPiece): boolean {
    const common = this.requests.get(request)?.integration;
    if (tree === undefined || common === undefined || !this.#repository.trees.has(tree) || !this.#repository.trees.has(common))
      return false;
    return this.#repository.changed(this.#repository.tree(tree).files, this.#repository.tree(common).head).length === 0;
  }

  /** What a common tree took in: one piece's work, all of it, and nothing that another left half done. */
  tookIn(tree: string, before: string): void {
    const [request, seen] = [...this.requests].find(([, { integration }]) => integration === tree) ?? [];
    // Of what the person stopped every tree is thrown away, in any order.
    if (request === undefined || seen?.ended === "cancelled") return;
    for (const { message, files } of this.#repository.log(tree, before)) {
      const id = /Sylk-Piece: (\S+)/u.exec(message)?.[1] ?? "";
      const piece = this.pieces.get(id);
      if (piece !== undefined) piece.taken = true;
      const own = piece?.tree;
      if (own === undefined || !this.#repository.trees.has(own)) return this.breaks("only whole pieces", `${message} in ${tree}`);
      if (this.#marks(request, id) > 1) this.breaks("merged once", `${id} in ${tree}`);
      const built = this.#repository.tree(own).files;
      const changed = [...this.#repository.changed(files, before), ...this.#repository.changed(built, before)];
      for (const { path } of changed)
        if (built.get(path) !== files.get(path)) this.breaks("only whole pieces", `${path} in ${tree} is not as ${id} has it`);
    }
  }

  /** Requests that are neither over nor rest for a person. */
  unfinished(): string[] {
    return [...this.requests].flatMap(([id, { ended }]) => (ended === undefined ? [id] : []));
  }

  /** When all is quiet: everything was merged, or is told as not merged. */
  lookBack(): void {
    for (const [id, { ended, nodes, pieces, deferred }] of this.requests) {
      if (ended === undefined || ended === "cancelled" || ended === "failed") continue;
      for (const node of nodes) {
        const piece = this.pieces.get(pieces[node] ?? "");
        // What a judge said that the user set aside is told too, of what is merged.
        const isTold = deferred.some((line) => line.startsWith(`${node} `) && !line.includes("word was set aside by you"));
        if ((piece?.merged === 1) === isTold)
          this.breaks("merged or told", `${node} of ${id}: ${piece?.ended ?? "never begun"}, told: ${isTold}`);
        if (piece?.taken === true && piece.merged === 0)
          this.breaks("no effect without its fact", `${node} of ${id}: ${piece.ended ?? "at work"}`);
      }
    }
    for (const tree of this.#repository.trees.keys()) if (this.#repository.isDirty(tree)) this.breaks("no dirty tree", tree);
  }

  keys(): string[] {
    return [...[...this.requests.keys()].map((id) => STREAMS.request(id)), ...[...this.pieces.keys()].map((id) => STREAMS.pipeline(id))];
  }
}
