import { expect, test } from "vitest";
import { markdownLines } from "./markdown.ts";

const plain = () => (text: string) => text;

test("every address a text holds is spelled out, that of a picture too", () => {
  const shown = (text: string): string => (markdownLines(text, 200, plain) ?? [text]).join("\n");
  for (const text of [
    "[https://good.example](https://evil.example/a)",
    "[here][one]\n\n[one]: https://evil.example/a",
    "![a chart](https://evil.example/a)",
    "![a chart][one]\n\n[one]: https://evil.example/a",
    "<https://evil.example/a>",
  ])
    expect(shown(text)).toContain("https://evil.example/a");
});
