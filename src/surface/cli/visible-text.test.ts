import fc from "fast-check";
import { expect, test } from "vitest";
import { visibleJson, visibleLine, visibleText } from "./visible-text.ts";

test.each([
  ["\u001b]0;title\u0007", "␛]0;title␇"],
  ["\u001b[2J\u001b[1A", "␛[2J␛[1A"],
  ["a\u0008b\u0000c\u007f", "a␈b␀c␡"],
  ["\u009b2J\u0085", "‹U+009B›2J‹U+0085›"],
  ["a\u202egpj.exe\u2066x\u2069", "a‹U+202E›gpj.exe‹U+2066›x‹U+2069›"],
  ["a\u200bb\u200dc\u2060d\ufeffe\u00adf\u061c", "a‹U+200B›b‹U+200D›c‹U+2060›d‹U+FEFF›e‹U+00AD›f‹U+061C›"],
  ["tag\u{e0041}\u{e0100}", "tag‹U+E0041›‹U+E0100›"],
  ["one\r\ntwo\tthree\rfour", "one\ntwo\tthree␍four"],
  ["a\ufff9b\ufffac\ufffb", "a‹U+FFF9›b‹U+FFFA›c‹U+FFFB›"],
  ["line\u2028para\u2029", "line‹U+2028›para‹U+2029›"],
  ["naïve 日本 ✔️ שלום", "naïve 日本 ✔️ שלום"],
])("H3: %j is shown as %j", (given, shown) => {
  expect(visibleText(given)).toBe(shown);
});

test("H3: on one line there is neither a line break nor a tab", () => {
  expect(visibleLine("a\nb\tc\r\nd")).toBe("a␊b␉c␊d");
});

const anyText = fc.string({ unit: "binary", maxLength: 40 });

test("H3: whatever the text, nothing but lines and tabs is left that a terminal obeys", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      // oxlint-disable-next-line no-control-regex -- exactly the characters that must be gone
      expect(visibleText(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/);
    }),
    { numRuns: 2_000 },
  );
});

test("JSON keeps its value and holds no raw control character", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const line = visibleJson({ text, list: [text] });
      expect(JSON.parse(line)).toEqual({ text, list: [text] });
      // oxlint-disable-next-line no-control-regex -- exactly the characters that must be gone
      expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    }),
    { numRuns: 2_000 },
  );
});
