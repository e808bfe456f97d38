/** What one process shares between the requests it works on, and from when on it takes up nothing more. */
import type { FlowParts } from "../flow/index.ts";
import { createSeats } from "./seats.ts";

export interface Resources {
  /** Pieces of all requests that are built at the same time. */
  seats: () => number;
  /** The share of the machine's memory that is in use, and above which share no piece begins. */
  memory: { used(): number };
  memoryMark: () => number;
}

export const createResources = ({ seats, memory, memoryMark }: Resources): Pick<FlowParts, "seats" | "hasRoom"> => ({
  seats: createSeats(seats),
  hasRoom: () => memory.used() <= memoryMark(),
});
