/** `completion.test.ts` goes on here with what takes longer. */
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { missing, place, CASES } from "./completion.ts";

const NO_FISH = missing("fish");

test.skipIf(NO_FISH !== undefined)("fish offers the same", { timeout: 60_000 }, () => {
  const at = place();
  const input = [
    at.script("fish"),
    ...CASES.map(([line]) => `string join -- " " (complete -C "${line}" | string replace -r "\\t.*" "")`),
  ].join("\n");
  const { stdout, stderr } = spawnSync("fish", ["-c", input], { cwd: at.dir, env: at.env, encoding: "utf8" });
  expect(stderr).toBe("");
  expect(stdout.trim().split("\n")).toEqual(CASES.map(([, offered]) => offered.join(" ")));
});
