/** Bugs as somebody might build them, put where the simulation hands the store and the system to a life. */
import type { Journal } from "../../../src/journal/index.ts";
import type { Ground } from "../sim-store.ts";
import type { TaskPlants } from "./task-lives.ts";

interface Seen {
  pauseAsked?: boolean;
  pending?: { intended: unknown[] };
}

/** Views as a life sees them that overlooks something. */
const seeing =
  (change: (state: Seen) => Seen) =>
  ({ journal, work }: Ground): Ground => {
    const get: Journal["get"] = async (view, key) => {
      const state = await journal.get(view, key);
      return view.name === "task" && state !== undefined ? (change(state as Seen) as typeof state) : state;
    };
    return { work, journal: { ...journal, get } };
  };

interface Planted {
  plants: TaskPlants;
  laws: string[];
  /** The first few seeds find it. */
  isQuick?: boolean;
}

export const PLANTED_IN_TASKS: Record<string, Planted> = {
  "a change that does not look whether the user changed the file": {
    plants: { blind: true },
    laws: ["the user's edit wins"],
    isQuick: true,
  },
  "a fact before its effect in a file": {
    plants: { lateRename: true },
    laws: ["no fact before its effect", "intent before effect", "only the owner acts"],
  },
  "a settle that repeats a change of files": {
    plants: { store: seeing((state) => (state.pending === undefined ? state : { ...state, pending: { ...state.pending, intended: [] } })) },
    // A life that never sees its own intent may also plan the same change for ever.
    laws: ["no effect twice", "what was not done is not there", "nothing is lost"],
  },
  "a cancel that lets the step go on": { plants: { hastyCancel: true }, laws: ["over means over"] },
  "a pause that nobody heeds": {
    plants: { store: seeing((state) => ({ ...state, pauseAsked: false })) },
    laws: ["a pause is obeyed after the step"],
  },
  "verified by checks that were not run after the last change": {
    plants: { trustingChecks: true },
    laws: ["verified by checks after the last change"],
    isQuick: true,
  },
  "changes that are not synced before their fact": {
    plants: { unsynced: true },
    // What is not synced may be the journal's own.
    laws: ["no effect lost", "nothing is lost", "nothing acknowledged is lost", "no fact before its effect"],
  },
  "a clean-up that leaves what was half written": { plants: { untidy: true }, laws: ["nothing is left over"] },
};
