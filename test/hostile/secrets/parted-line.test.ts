/** A command prints a long line without an end, and a secret comes in two pieces where the line is parted to be shown. */
import path from "node:path";
import { expect, test } from "vitest";
import { createRedactor } from "../../../src/guard/index.ts";
import { createOutputCapture } from "../../../src/workspace/process/capture-output.ts";
import { tempDir } from "../../support/temp.ts";

const SECRET = ["zq9Xk2Lm8P", "w4Rt7Vb1Nc"].join("");

/** Everything that anybody is shown of it. */
function shownOf(pieces: readonly string[]): string {
  const redactor = createRedactor();
  redactor.addKnownValue(SECRET);
  let live = "";
  const capture = createOutputCapture({
    rules: { keepFirstLines: 50, keepLastLines: 50, maxImportantLines: 50, maxLineChars: 1_000_000 },
    redact: (text) => redactor.redact(text).text,
    spillFile: path.join(tempDir("spill"), "all"),
    maxSpillBytes: 1_000_000,
    maxStreamBytes: 1_000_000,
    heard: () => true,
    onOutput: ({ text }) => (live += `${text}\n`),
  });
  for (const piece of pieces) capture.write("stdout", Buffer.from(piece));
  const { shaped, stdout } = capture.finish();
  return [live, shaped.text, stdout].join("\n");
}

test("a secret is redacted wherever a line without an end is parted", () => {
  const before = "x ".repeat(35_000);
  for (const at of [1, 10, SECRET.length - 1])
    for (const after of ["", " tail\n", "y ".repeat(40_000)]) {
      const shown = shownOf([before + SECRET.slice(0, at), SECRET.slice(at) + after]);
      for (const part of [SECRET.slice(0, 10), SECRET.slice(-9)]) expect(shown.includes(part), `${at} ${after.length}`).toBe(false);
    }
  // It came whole, and lies where the line would be parted.
  for (let from = 8_150; from <= 8_200; from += 5) {
    const shown = shownOf([before + SECRET + "y".repeat(from), "y\n"]);
    for (const part of [SECRET.slice(0, 10), SECRET.slice(-9)]) expect(shown.includes(part), `${from}`).toBe(false);
  }
});
