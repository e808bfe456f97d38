import { expect, test } from "vitest";
import { reviewText } from "./review-text.ts";

const of = (file: string, lines: number, isNew = false): string =>
  `diff --git a/${file} b/${file}\n${isNew ? "new file mode 100644\n" : ""}index 1..2 100644\n--- a/${file}\n+++ b/${file}\n${"+line\n".repeat(lines)}`;
const files = (shown: string): string[] => [...shown.matchAll(/^diff --git a\/(\S+)/gmu)].map(([, file = ""]) => file);
const LONGER = "the change is longer; read the files for the rest";

test("whoever judges a change sees what it is about first, documents too, then tests that were there, new tests, what tools wrote", () => {
  const all = [
    of("package-lock.json", 2),
    of("docs/api/a.md", 2, true),
    of("src/a.ts", 2),
    of("test/new.test.ts", 2, true),
    of("test/a.test.ts", 2),
  ];
  const whole = reviewText({ text: all.join(""), truncated: false }, 10_000);
  expect(files(whole)).toEqual(["docs/api/a.md", "src/a.ts", "test/a.test.ts", "test/new.test.ts", "package-lock.json"]);
  expect(whole).not.toContain(LONGER);
  expect(reviewText({ text: of("src/a.ts", 1), truncated: true }, 10_000)).toContain(LONGER);
});

test("where there is not room for all, small files stay whole, long ones keep their beginning, and what is not shown is named", () => {
  const text = [of("src/long.ts", 500), of("docs/a.md", 5), of("mkdocs.yaml", 5), of("src/b.ts", 5), of("test/a.test.ts", 300, true)].join(
    "",
  );
  const cut = reviewText({ text, truncated: false }, 1_500);
  expect(files(cut)).toEqual(["src/long.ts", "docs/a.md", "mkdocs.yaml", "src/b.ts"]);
  for (const small of [of("docs/a.md", 5), of("mkdocs.yaml", 5), of("src/b.ts", 5)])
    expect(cut).toContain(small.replace("index 1..2 100644\n", ""));
  expect(cut).toMatch(/\n\+line\n… \d+ lines more in src\/long\.ts\n/u);
  expect(cut).toContain("Changed too, and not shown: test/a.test.ts\n");
  expect(cut).toContain(LONGER);
  const some = reviewText({ text, truncated: false }, 4_200);
  expect(files(some)).toEqual(["src/long.ts", "docs/a.md", "mkdocs.yaml", "src/b.ts", "test/a.test.ts"]);
  expect(some).toMatch(/lines more in test\/a\.test\.ts/u);
  expect(some).not.toMatch(/lines more in src/u);
});
