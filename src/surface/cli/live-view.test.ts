import { expect, test } from "vitest";
import { LiveView } from "./live-view.ts";
import { createOutput } from "./output.ts";

test.each([
  [true, []],
  [false, ["  waiting for local, attempt 1 of 5, at most 600 s: 40 s"]],
])("how long a model is waited for lives in one line where there is one (%s), and is said elsewhere", (draws, said) => {
  const notes: string[] = [];
  const nothing = (): undefined => undefined;
  const door = { interactive: draws, draws, columns: 80, result: nothing, progress: nothing, region: nothing, ring: nothing };
  const out = createOutput(
    { json: false, quiet: false, color: false },
    { ...door, note: (text) => void notes.push(text), notify: nothing, title: nothing, paged: () => false },
  );
  using view = new LiveView(out);
  view.show({ type: "waiting", task: "t", provider: "local", attempt: 1, attempts: 5, waited_ms: 40_000, limit_ms: 600_000 });
  expect(notes).toEqual(said);
});
