/** A language server is given no text that the task itself may not read, under whatever name it is asked for. */
import { symlinkSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { hostileTask } from "./hostile-task.ts";

const VALUE = "zX9qLw82kdPqvB31";
const reversed = VALUE.split("").toReversed().join("");

test("H1: a link to `.env`, or such a file itself, is not shown to the project's own server, and a plain file is", async () => {
  const asked = (file: string, name: string) => ({ name: "definition", input: { path: file, line: 1, name } });
  const { contexts, kept } = await hostileTask(
    { how: "reveals" },
    { ".env": `SECRET_TOKEN=${VALUE}\n`, ".env.ts": `SECRET_TOKEN=${VALUE}\n`, "a.ts": "let plain = 1;\n", "real.ts": "let real = 1;\n" },
    [asked("x.ts", "SECRET_TOKEN"), asked(".env.ts", "SECRET_TOKEN"), asked("linked.ts", "real"), asked("a.ts", "plain")],
    (dir) => {
      symlinkSync(".env", path.join(dir, "x.ts"));
      symlinkSync("real.ts", path.join(dir, "linked.ts"));
    },
  );
  expect(kept).not.toContain(reversed);
  expect(contexts[1]).toContain("x.ts cannot be given to a language server");
  expect(contexts[3]).toContain("linked.ts cannot be given to a language server");
  expect(contexts[4]).toContain("plain is defined in /;1 = nialp tel");
});
