/** `hands.test.ts` goes on here with what takes longer. */
import { expect, test } from "vitest";
import { NO_SANDBOX } from "../support/sandboxed.ts";
import { actions } from "./hands.ts";

test.skipIf(NO_SANDBOX !== undefined)(
  "V15: one test file, one test, a project file and an expression are run unattended, in the sandbox",
  async () => {
    const { said, users } = await actions([
      { name: "run_tests", input: { path: "test/add.test.js" } },
      { name: "run_tests", input: { path: "test/add.test.js", name: "one adds" } },
      { name: "run_command", input: { command: `node -e "console.log(require('./src/add.js')(20, 22))"` } },
      { name: "run_command", input: { command: "node --test test/other.test.js" } },
      {
        name: "run_command",
        input: { command: "node -e \"require('net').connect(80, '1.1.1.1').on('error', (e) => console.log('no', e.code))\"" },
      },
    ]);
    expect(said[0]).toContain("exited with 1");
    expect(said[0]).toContain("node --test test/add.test.js");
    expect(users[0]).toContain("commands that run unasked");
    expect(said[1]).toContain("these tests pass");
    expect(users[3]).toContain("42");
    expect(said[3]).toContain("exited with 1");
    expect(users[5]).toContain("no E");
    expect(said[5]).not.toContain("exited");
  },
);
