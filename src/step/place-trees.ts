/** What a task asks of the place it works in, beside its files. */
import type { Place } from "../protocol/index.ts";
import type { FileTrack } from "../workspace/index.ts";

export interface PlaceStanding {
  /** Equal where the same would be found in this place and in a new copy of it. */
  name: string;
  /** Nothing that git ignores stands there beside what the project lends every tree. */
  plain: boolean;
  /** What makes a new tree ready. */
  setUp: string | null;
}

export interface PlaceTrees {
  /** A copy of a place as it is now, to try something in; nothing of it is left. */
  withCopy<T>(place: Place, signal: AbortSignal, work: (copy: Place) => Promise<T>): Promise<T>;
  /** Notices what commands change in a place. */
  trackFor(place: Place): Promise<FileTrack>;
  /** What a command would find there; undefined where nobody can tell. */
  stands(place: Place, signal: AbortSignal): Promise<PlaceStanding | undefined>;
}
