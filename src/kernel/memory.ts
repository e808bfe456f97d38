/** How much of the machine's memory is in use. Tests bring their own. */
import { totalmem } from "node:os";

export const systemMemory = {
  /** The share that is in use, 0 to 1; in a container, of what it may have. */
  used(): number {
    const allowed = process.constrainedMemory();
    const total = allowed > 0 && allowed < totalmem() ? allowed : totalmem();
    return Math.min(1, Math.max(0, 1 - process.availableMemory() / total));
  },
};
