/** The answer to a rename is somebody else's: it changes names in files of the project, and nothing else. */
import { expect, test } from "vitest";
import { hostileTask } from "./hostile-task.ts";

const FILES = {
  ".gitignore": "ignored.ts\n",
  "a.ts": "plain = 1;\n",
  "b.ts": "plain = 2;\n",
  "ignored.ts": "plain = 3;\n",
  id_rsa: "plain = 4;\n",
};
const rename = { name: "rename", input: { path: "a.ts", line: 1, name: "plain", to: "fancy" } };

test.each([
  { how: "rewrites", words: "b.ts=PWNED", file: "b.ts", why: "would write something else than the new name" },
  { how: "renames", words: "ignored.ts", file: "ignored.ts", why: "which cannot be changed here" },
  { how: "renames", words: "id_rsa", file: "id_rsa", why: "which cannot be changed here" },
] as const)("L1: a rename that $how $words is not made", async ({ how, words, file, why }) => {
  const { contexts, text } = await hostileTask({ how, words }, FILES, [rename]);
  expect(contexts[1]).toContain(why);
  expect(text(file)).toBe(FILES[file]);
});
