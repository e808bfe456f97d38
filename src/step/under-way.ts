/** What a model is being asked at this moment, in this process, and nobody wrote down yet: for whoever looks on. */
import type { BuiltContext } from "./context/build-context.ts";
import type { StepEngine } from "./engine.ts";

interface Asking {
  step: number;
  context: BuiltContext;
}

const asking = new WeakMap<StepEngine, Map<string, Asking>>();

export function nowAsking(engine: StepEngine, task: string): Asking | undefined {
  return asking.get(engine)?.get(task);
}

/** Until it is disposed. */
export function tellAsking(engine: StepEngine, task: string, what: Asking): Disposable {
  const known = asking.get(engine) ?? new Map<string, Asking>();
  asking.set(engine, known);
  known.set(task, what);
  return { [Symbol.dispose]: () => void known.delete(task) };
}
