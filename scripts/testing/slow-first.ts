/**
 * The order of test files: what works with whole processes before what stands beside the code, so that no core waits
 * at the end for one long file. By size alone, which is what a clean checkout knows, the longest come last: many of
 * them are a few lines around a program of their own.
 */
import path from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const SLOWEST = [
  "test/flow/team/",
  "test/hostile/corpus/",
  "test/crash/",
  "test/sim/",
  "test/surface/",
  "test/hostile/",
  "test/flow/",
  "test/",
];

export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification): number => {
      const name = path.relative(this.ctx.config.root, moduleId).replaceAll(path.sep, "/");
      const found = SLOWEST.findIndex((folder) => name.startsWith(folder));
      return found === -1 ? SLOWEST.length : found;
    };
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}
