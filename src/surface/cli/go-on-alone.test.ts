import { expect, test } from "vitest";
import { OpenWork } from "./go-on-alone.ts";

test("what runs when the terminal goes away is left to be gone on with; what its user had stopped, or was over, stays so", () => {
  const left = (scene: (work: OpenWork, stop: AbortController) => void): readonly string[] | undefined => {
    const work = new OpenWork();
    scene(work, new AbortController());
    work.leave();
    return work.left;
  };
  const words = ["task", "resume", "t1"];
  expect(left((work, { signal }) => void work.begin({ words, signal }))).toEqual(words);
  expect(
    left((work, stop) => {
      work.begin({ words, signal: stop.signal });
      stop.abort();
    }),
  ).toBeUndefined();
  expect(left((work, { signal }) => work.begin({ words, signal })[Symbol.dispose]())).toBeUndefined();
  expect(left(() => undefined)).toBeUndefined();
});
