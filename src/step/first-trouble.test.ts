import { expect, test } from "vitest";
import { readReport } from "../tooling/index.ts";
import { firstTrouble } from "./first-trouble.ts";

const PRETTIER =
  "Checking formatting...\n[warn] src/punycode.ts\n[warn] Code style issues found in the above file. Run Prettier with --write to fix.";
const STYLISH = "\n/proj/src/App.js\n  24:6  error  Insert `;`  prettier/prettier\n\n✖ 1 problem (1 error, 0 warnings)\n";

/** What each manager prints around what a script said. */
const AROUND: Record<string, (script: string, line: string, said: string) => string> = {
  npm: (script, line, said) => `\n> ufo@1.6.3 ${script}\n> ${line}\n\n${said}\n`,
  "npm in a workspace": (script, line, said) =>
    `\n> ufo@1.6.3 ${script}\n> ${line}\n\n${said}\nnpm error Lifecycle script \`${script}\` failed with error:\nnpm error code 1\nnpm error path /proj\nnpm error workspace ufo@1.6.3\nnpm error location /proj\nnpm error command failed\nnpm error command sh -c ${line}\n`,
  "npm 6": (script, line, said) =>
    `\n> ufo@1.6.3 ${script} /proj\n> ${line}\n\n${said}\nnpm ERR! code ELIFECYCLE\nnpm ERR! errno 1\nnpm ERR! ufo@1.6.3 ${script}: \`${line}\`\nnpm ERR! Exit status 1\nnpm ERR! \nnpm ERR! Failed at the ufo@1.6.3 ${script} script.\nnpm ERR! This is probably not a problem with npm. There is likely additional logging output above.\n`,
  pnpm: (script, line, said) =>
    `\n> ufo@1.6.3 test /proj\n> pnpm lint && vitest run --typecheck\n\n\n> ufo@1.6.3 ${script} /proj\n> ${line}\n\n${said}\n ELIFECYCLE  Command failed with exit code 1.\n ELIFECYCLE  Test failed. See above for more details.\n`,
  yarn: (_script, line, said) =>
    `yarn run v1.22.22\n$ ${line}\n${said}\nerror Command failed with exit code 1.\ninfo Visit https://yarnpkg.com/en/docs/cli/run for documentation about this command.\n`,
};

/** Script, its line, what it prints, and the line that says what failed. */
const SAID: [script: string, line: string, said: string, tells: string][] = [
  ["lint", "eslint . && prettier -c src test", PRETTIER, "[warn] src/punycode.ts"],
  ["lint", "eslint src/**/*.js", STYLISH, "24:6  error  Insert `;`  prettier/prettier"],
  [
    "typecheck",
    "tsc --noEmit",
    "src/a.ts(8,44): error TS2307: Cannot find module './goals.ts'.",
    "src/a.ts(8,44): error TS2307: Cannot find module './goals.ts'.",
  ],
  ["lint", "node lint.mjs", "2 words are too plain", "2 words are too plain"],
];

test.each(Object.keys(AROUND).flatMap((manager) => SAID.map((one, at) => [manager, at, ...one] as const)))(
  "what failed is told by the tool and not by %s (%i)",
  (manager, _at, script, line, said, tells) => {
    expect(firstTrouble(AROUND[manager]?.(script, line, said) ?? "")).toBe(tells);
  },
);

test.each<[string, string, string]>([
  ["tests that passed, whatever their names say", "✓ fails with Error: none\nok 1 - error: is told\n✖ adds\n", "✖ adds"],
  ["the first of two errors", "TypeError: a is not b\n    at x\nRangeError: later\n", "TypeError: a is not b"],
  ["the last line where none looks like trouble", "checking\n2 words are too plain\n", "2 words are too plain"],
  ["a script of bun", '$ bun lint\n3 words are plain\nerror: script "lint" exited with code 1\n', "3 words are plain"],
  ["what yarn says at its end", "2 words are too plain\nDone in 0.3s.\n", "2 words are too plain"],
  ["what pnpm says at its end", "2 words are too plain\nExit status 1\n", "2 words are too plain"],
])("what failed: %s", (_what, text, tells) => {
  expect(firstTrouble(text)).toBe(tells);
});

test("where nobody but the package manager speaks its word counts", () => {
  expect(firstTrouble("\n> ufo@1.6.3 lint\n> true\n\n ELIFECYCLE  Command failed with exit code 1.\n")).toContain("ELIFECYCLE");
});

test("files that a formatter lists are told one by one", () => {
  const report = readReport({
    format: undefined,
    report: AROUND["pnpm"]?.("lint", "prettier -c src", `${PRETTIER}\n[error] src/a.ts: SyntaxError: ';' expected. (1:5)`) ?? "",
    exitCode: 1,
    output: "",
  });
  expect(report.diagnostics.map(({ file, line, message }) => [file, line, message])).toEqual([
    ["src/punycode.ts", undefined, "is not formatted"],
    ["src/a.ts", 1, "SyntaxError: ';' expected."],
  ]);
});
