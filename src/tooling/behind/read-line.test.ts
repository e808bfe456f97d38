import { chmodSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { putFiles, tempFolder } from "../../../test/support/temp-workspace.ts";
import { createLineReader } from "./read-line.ts";

const FILES = {
  "package.json": JSON.stringify({ scripts: { test: "npm run a", prea: "sh x.sh", a: "vitest run", b: "node $X" } }),
  "x.sh": "true\n",
  "sub/x.sh": "true\n",
  "sub/package.json": JSON.stringify({ scripts: { test: "sh x.sh" } }),
  "t.mjs": "1\n",
  Makefile: "test: need\n\t@sh x.sh\nneed:\n\techo $(WHAT)\nother:\n\t$(WHAT)\n",
};

function read(line: string): { names: string[]; unclear: string | undefined } {
  const root = tempFolder("read-line");
  putFiles(root, FILES);
  chmodSync(path.join(root, "x.sh"), 0o755);
  const { reader, result } = createLineReader(root);
  reader.line(line, { at: [root], home: root });
  const { lines, unclear } = result();
  return { names: lines.map((one) => one.replace(/: [0-9a-f]{64}$/u, "")), unclear };
}

test.each<[string, string[]]>([
  ["vitest run && eslint .", []],
  ["./x.sh", ["x.sh"]],
  ["if true; then ! ./x.sh; fi", ["x.sh"]],
  ['sh "./x".sh', ["x.sh"]],
  ["cd sub && sh x.sh", ["sub/x.sh"]],
  // Where it stands afterwards depends on how the first part went: both count.
  ["cd sub; sh x.sh", ["x.sh", "sub/x.sh"]],
  ["node --import ./t.mjs t.mjs", ["t.mjs"]],
  ["NODE_OPTIONS='--no-warnings --import=./t.mjs' jest", ["t.mjs"]],
  ["npm test", ["test: npm run a", "prea: sh x.sh", "x.sh", "a: vitest run"]],
  ["npm --prefix sub test", ["sub/package.json test: sh x.sh", "sub/x.sh"]],
  ["sh later.sh", ["later.sh: not there"]],
  ["make test", ["Makefile", "test: @sh x.sh", "x.sh", "need: echo $(WHAT)"]],
])("`%s` is followed to what it names", (line, names) => {
  expect(read(line)).toEqual({ names, unclear: undefined });
});

test.each([
  ["npm run b", "$X of node is decided when it runs"],
  ["sh ./*.sh", "an argument of sh is decided at run time"],
  ["node sub", "sub is a folder"],
  ["some-runner", "what some-runner runs is not known"],
  ["npm --prefi sub test", "the option --prefi of npm is not one that is known"],
  ["BASH_ENV=./x.sh vitest run", "the variable BASH_ENV is not one that is known"],
  ["vitest run (", "a line cannot be read: a parenthesis inside a command"],
  ["../x.sh", "lies outside the project"],
  ["cp x.sh y.sh && sh y.sh", "it writes y.sh, and runs what is there"],
])("`%s` is not followed, and the reason is said", (line, reason) => {
  expect(read(line).unclear).toContain(reason);
});
