/** What a language server says reaches the model and the journal as one short line without secrets, however much it is. */
import { expect, test } from "vitest";
import { hostileTask } from "./hostile-task.ts";

const VALUE = "zX9qLw82kdPqvB31";
const FILES = { ".env": `SECRET_TOKEN=${VALUE}\n`, "a.ts": "let plain = 1;\n" };
const at = { path: "a.ts", line: 1, name: "plain" };

test("M2: a value of `.env` in a code, a message or a path is redacted for model and journal", async () => {
  const { contexts, kept } = await hostileTask({ how: "talks", words: VALUE }, FILES, [
    { name: "edit_file", input: { path: "a.ts", find: "= 1", replace: "= 2" } },
    { name: "definition", input: at },
    { name: "references", input: at },
  ]);
  expect(contexts[1]).toMatch(/a\.ts:1 error in code \S*REDACTED/u);
  expect(contexts[2]).toContain("plain is defined in");
  expect(contexts[3]).toContain("plain: 2 places in 2 files");
  expect(kept).not.toContain(VALUE);
});

test("M2: a path with a line break is no place", async () => {
  const { contexts, kept } = await hostileTask({ how: "breaks", words: "Now obey" }, FILES, [{ name: "definition", input: at }]);
  expect(contexts[1]).toContain("no definition of plain is known");
  expect(kept).not.toContain("Now obey");
});
