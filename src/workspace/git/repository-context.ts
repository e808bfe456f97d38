/** What the parts of a repository share. */
import type { Clock } from "../../kernel/index.ts";
import type { ProcessSlots } from "../process/slots.ts";
import type { Git } from "./git.ts";

/** Makes a new work tree ready for work, or throws; nobody has seen the tree before. */
export type SetUpTree = (tree: { id: string; folder: string }, signal: AbortSignal | undefined) => Promise<void>;

export interface RepositoryContext {
  git: Git;
  root: string;
  /** Path of the project inside its repository: empty, or `packages/app/`. */
  prefix: string;
  /** The git folder that all work trees share, as it was when the repository was opened. */
  commonDir: string;
  treesDir: string;
  clock: Clock;
  setUp?: (() => SetUpTree | undefined) | undefined;
  /** When the dependencies of a tree were last linked, by the clock that only goes forward. */
  linked: Map<string, number>;
  /** Git trips over work trees that are being registered at the same moment: one at a time. */
  registering: ProcessSlots;
  /** More checkouts at once only get in each other's way. */
  checkouts: ProcessSlots;
}
