/**
 * The attacker has: a repository whose check line the person has read and agreed to, and a way to change other files
 * in it. He writes the line so that a file which it names, or which decides what it means, is not seen to be one; then
 * he changes that file, and his program runs on the person's machine under a consent that was given to another.
 */
import { chmodSync, existsSync, symlinkSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { agreedTo } from "../../support/agreed-checks.ts";

const SUB = JSON.stringify({ name: "pkg", scripts: { test: "true" } });
const SUB_EVIL = JSON.stringify({ name: "pkg", scripts: { test: "EVIL" } });
const JS = "process.exit(0)\n";

/** Whatever a line may name; each starts harmless. */
const PROJECT: Record<string, string> = {
  "sub/package.json": SUB,
  "sub/index.js": JS,
  "sub/y": "true\n",
  "sub/y.sh": "true\n",
  "sub/Makefile": "test:\n\t@true\n",
  "pkg/package.json": SUB,
  "packages/a/package.json": JSON.stringify({ name: "@s/a", scripts: { test: "true" } }),
  "ci.mk": "test:\n\t@true\n",
  "x.sh": "true\n",
  "x.js": JS,
  "x.cjs": JS,
  "x.mjs": JS,
  "x.py": "\n",
  ".env": "A=1\n",
  justfile: "test:\n  true\n",
  "Taskfile.yml": "tasks: {}\n",
  "tox.ini": "[testenv]\n",
  "noxfile.py": "\n",
  "turbo.json": "{}",
  "deno.json": `{ "tasks": { "test": "true" } }`,
  "composer.json": `{ "scripts": { "test": "true" } }`,
  "deep/pkg/sub/__main__.py": "\n",
};

const NOTICED: [line: string, changed: string, text?: string][] = [
  // Another package.
  ["npm --prefix sub test", "sub/package.json", SUB_EVIL],
  ["npm test --prefix=sub", "sub/package.json", SUB_EVIL],
  ["npm test --prefix sub", "sub/package.json", SUB_EVIL],
  ["npm --pref sub test", "sub/package.json", SUB_EVIL],
  ["npm -C sub run test", "sub/package.json", SUB_EVIL],
  ["cd sub && npm test", "sub/package.json", SUB_EVIL],
  ["(cd sub; npm run test)", "sub/package.json", SUB_EVIL],
  ["npm test -w pkg", "pkg/package.json", SUB_EVIL],
  ["npm test --workspaces", "pkg/package.json", SUB_EVIL],
  ["npm test -ws --if-present", "pkg/package.json", SUB_EVIL],
  ["npm run test --workspace=pkg", "pkg/package.json", SUB_EVIL],
  ["npm exec -w pkg -- y", "pkg/package.json", SUB_EVIL],
  ["npm it", "x.sh"],
  ["yarn workspace pkg test", "pkg/package.json", SUB_EVIL],
  ["yarn workspaces run test", "pkg/package.json", SUB_EVIL],
  ["yarn workspaces foreach -A run test", "pkg/package.json", SUB_EVIL],
  ["yarn --cwd sub test", "sub/package.json", SUB_EVIL],
  ["pnpm -r test", "pkg/package.json", SUB_EVIL],
  ["pnpm --filter pkg test", "pkg/package.json", SUB_EVIL],
  ["pnpm --filter ./pkg... test", "pkg/package.json", SUB_EVIL],
  ["pnpm -C sub test", "sub/package.json", SUB_EVIL],
  ["bun run --cwd sub test", "sub/package.json", SUB_EVIL],
  ["bun --filter pkg test", "pkg/package.json", SUB_EVIL],
  ["turbo run test", "pkg/package.json", SUB_EVIL],
  ["npx turbo test", "pkg/package.json", SUB_EVIL],
  ["nx run-many -t test", "pkg/package.json", SUB_EVIL],
  ["lerna run test", "pkg/package.json", SUB_EVIL],
  ["npx lerna run test", "pkg/package.json", SUB_EVIL],
  ["concurrently 'npm --prefix sub test'", "sub/package.json", SUB_EVIL],
  ["npm-run-all 'aside -- x.sh'", "x.sh"],
  ["run-s in:*", "x.sh"],
  ["npm run aside -- ./x.sh", "x.sh"],
  ["node --run aside -- x.sh", "x.sh"],
  // Another make file.
  ["make -f ci.mk test", "ci.mk", "test:\n\t@EVIL\n"],
  ["make -fci.mk test", "ci.mk", "test:\n\t@EVIL\n"],
  ["make -C sub test", "sub/Makefile", "test:\n\t@EVIL\n"],
  ["make --directory=sub test", "sub/Makefile", "test:\n\t@EVIL\n"],
  ["make --dir sub test", "sub/Makefile", "test:\n\t@EVIL\n"],
  ["cd sub && make test", "sub/Makefile", "test:\n\t@EVIL\n"],
  // The shell.
  ["if true; then ./x.sh; fi", "x.sh"],
  ["! ./x.sh", "x.sh"],
  ["{ ./x.sh; }", "x.sh"],
  ["for i in 1; do sh x.sh; done", "x.sh"],
  ["case a in a) ./x.sh;; esac", "x.sh"],
  ["f() { ./x.sh; }; f", "x.sh"],
  ["eval ./x.sh", "x.sh"],
  ["trap ./x.sh EXIT", "x.sh"],
  ['"./x".sh', "x.sh"],
  ["./x\\.sh", "x.sh"],
  ["./x*", "x.sh"],
  ["./{x,y}.sh", "x.sh"],
  ["sh ./*.sh", "x.sh"],
  ["sh x.s?", "x.sh"],
  ["sh < x.sh", "x.sh"],
  ["cat x.sh | sh", "x.sh"],
  ["sh -s < x.sh", "x.sh"],
  ["bash --rcfile x.sh -i", "x.sh"],
  ["sh <<E\n. ./x.sh\nE", "x.sh"],
  ["X=x.sh; sh $X", "x.sh"],
  ["sh `echo x.sh`", "x.sh"],
  ["$(echo ./x.sh)", "x.sh"],
  ["sh -c 'cd sub; true' && sh x.sh", "x.sh"],
  ["sh -c 'sh $0' x.sh", "x.sh"],
  [". ./x.sh", "x.sh"],
  ["command ./x.sh", "x.sh"],
  ["exec ./x.sh", "x.sh"],
  ["nohup timeout 5 sh x.sh", "x.sh"],
  ["env -C sub ./y.sh", "sub/y.sh"],
  ["env --chdir=sub sh y.sh", "sub/y.sh"],
  ["env -S './x.sh'", "x.sh"],
  ["find . -name x.sh -exec sh {} +", "x.sh"],
  ["ls x.sh | xargs sh", "x.sh"],
  ["pushd sub && ./y.sh", "sub/y.sh"],
  ["cd sub || true; sh y.sh", "sub/y.sh"],
  ["cp x.sh z.sh && sh z.sh", "x.sh"],
  ["cat x.sh > z.sh; sh z.sh", "x.sh"],
  ["ln -sf x.sh z.sh && ./z.sh", "x.sh"],
  ["awk -f x.sh", "x.sh"],
  ["flock f ./x.sh", "x.sh"],
  ["script -c ./x.sh", "x.sh"],
  ["git -c core.pager=./x.sh log", "x.sh"],
  ["sort --compress-program=./x.sh f", "x.sh"],
  // Interpreters.
  ["node sub", "sub/index.js"],
  ["node ./sub/index", "sub/index.js"],
  ["node .", "x.js"],
  ["node -r ./x.cjs ok.js", "x.cjs"],
  ["node -r ./x ok.js", "x.cjs"],
  ["node --require=./x.cjs ok.js", "x.cjs"],
  ["node --import ./x.mjs ok.js", "x.mjs"],
  ["node --loader ./x.mjs ok.js", "x.mjs"],
  ["node --experimental-loader=./x.mjs ok.js", "x.mjs"],
  ["node --env-file=.env ok.js", ".env"],
  ["node --test-reporter=./x.mjs --test", "x.mjs"],
  ["node -e 'require(\"./x.js\")'", "x.js"],
  ["node -p 'require(\"./x.js\")'", "x.js"],
  ["node < x.js", "x.js"],
  ["node inspect x.js", "x.js"],
  ["tsx watch x.js", "x.js"],
  ["bash +x x.sh", "x.sh"],
  ["tsx x.js", "x.js"],
  ["npx tsx --import ./x.mjs ok.js", "x.mjs"],
  ["npx ./sub", "sub/package.json", SUB_EVIL],
  ["npx -c './x.sh'", "x.sh"],
  ["npm exec -c './x.sh'", "x.sh"],
  ["python x.py", "x.py"],
  ["python3.12 x.py", "x.py"],
  ["python deep/pkg/sub", "deep/pkg/sub/__main__.py"],
  ["cd deep && python -m pkg.sub", "deep/pkg/sub/__main__.py"],
  ["python -c 'import x'", "x.py"],
  ["coverage run x.py", "x.py"],
  ["ruby -r ./x.js ok.js", "x.js"],
  ["php -d auto_prepend_file=x.js ok.js", "x.js"],
  ["perl x.js", "x.js"],
  ["deno run x.js", "x.js"],
  ["deno task test", "deno.json", `{ "tasks": { "test": "EVIL" } }`],
  ["bun x.js", "x.js"],
  ["bun run ./x.js", "x.js"],
  ["bun test --preload ./x.js", "x.js"],
  ["mocha -r ./x.cjs", "x.cjs"],
  ["mocha --require x.cjs", "x.cjs"],
  ["jest --config x.js", "x.js"],
  ["vitest run --reporter=./x.mjs", "x.mjs"],
  ["eslint --rulesdir sub .", "sub/index.js"],
  ["c8 node x.js", "x.js"],
  ["nyc --require ./x.cjs mocha", "x.cjs"],
  ["cross-env A=1 sh x.sh", "x.sh"],
  ["cross-env NODE_OPTIONS=--require=./x.cjs mocha", "x.cjs"],
  ["prove --exec ./x.sh", "x.sh"],
  ["go test -exec ./x.sh ./...", "x.sh"],
  ["go run ./sub", "sub/y"],
  ["cargo run", "x.sh"],
  ["cargo test --config x.toml", "x.toml", "[target]\n"],
  ["mocha -br ./x.cjs", "x.cjs"],
  ["mocha --requir ./x.cjs", "x.cjs"],
  ["jest --setupFiles ./ok.js ./x.js", "x.js"],
  ["jest --conf x.js", "x.js"],
  ["ava '--node-arguments=--import ./x.mjs'", "x.mjs"],
  ["playwright test -c x.js", "x.js"],
  ["stylelint -f ./x.js a.css", "x.js"],
  ["tsup --onSuccess 'sh x.sh'", "x.sh"],
  ["pytest -p x", "x.py"],
  ["pytest -qpx", "x.py"],
  ["pytest -o 'addopts=-p x'", "x.py"],
  ["pytest -W error::x.Y", "x.py"],
  ["pylint --load-plugins=x a.py", "x.py"],
  ["phpstan analyse --autoload-file=x.js", "x.js"],
  ["gcc -wrapper ./x.sh a.c", "x.sh"],
  ["gcc @x.sh", "x.sh"],
  ["go build -ldflags=-extld=./x.sh", "x.sh"],
  ["tool x", "x.js"],
  ["tool a,./x.js", "x.js"],
  ["tool -rx.js", "x.js"],
  ["tool sub", "sub/index.js"],
  ["npx topbin", "x.js"],
  ["cp x.sh node_modules/.bin/jest && jest", "x.sh"],
  ["read NODE_OPTIONS < x.sh; jest", "x.sh"],
  ["printf -v NODE_OPTIONS %s --require=./x.cjs; jest", "x.cjs"],
  ["[ -v 'a[$(./x.sh)]' ]", "x.sh"],
  // Variables.
  ["NODE_OPTIONS=--require=./x.cjs vitest run", "x.cjs"],
  ["NODE_OPTIONS='--max-old-space-size=4096 --import ./x.mjs' jest", "x.mjs"],
  ["export NODE_OPTIONS=--require=./x.cjs && jest", "x.cjs"],
  ["BASH_ENV=./x.sh bash ok.sh", "x.sh"],
  ["ENV=./x.sh sh ok.sh", "x.sh"],
  ["NODE_PATH=sub node ok.js", "sub/index.js"],
  ["PATH=sub:$PATH y", "sub/y"],
  ["PATH=sub jest", "sub/y"],
  ["env PATH=sub jest", "sub/y"],
  ["PYTHONPATH=sub pytest", "sub/y"],
  ["PYTHONSTARTUP=x.py python ok.js", "x.py"],
  ["LD_PRELOAD=./x.sh jest", "x.sh"],
  ["GIT_EXTERNAL_DIFF=./x.sh git diff", "x.sh"],
  ["npm_config_script_shell=./x.sh npm run unit", "x.sh"],
  ["SOME_PLUGIN=./x.cjs jest", "x.cjs"],
  // Runners with a file of their own.
  ["just test", "justfile", "test:\n  EVIL\n"],
  ["task test", "Taskfile.yml", "tasks: { test: EVIL }\n"],
  ["tox", "tox.ini", "[testenv]\ncommands = EVIL\n"],
  ["python -m tox", "tox.ini", "[testenv]\ncommands = EVIL\n"],
  ["nox", "noxfile.py", "import os\n"],
  ["uv run x.py", "x.py"],
  ["poetry run sh x.sh", "x.sh"],
  ["composer test", "composer.json", `{ "scripts": { "test": "EVIL" } }`],
  ["gulp test", "x.js"],
  ["some-unknown-runner", "x.js"],
];

function withLine(line: string): Record<string, string> {
  return {
    ...PROJECT,
    "ok.js": JS,
    "ok.sh": "true\n",
    "x.toml": "",
    "node_modules/.bin/tool": "#!/bin/sh\n",
    "package.json": JSON.stringify({
      name: "top",
      bin: { topbin: "./x.js" },
      workspaces: ["pkg", "packages/*"],
      scripts: { test: line, aside: "sh", unit: "true", "in:a": "sh x.sh" },
    }),
  };
}

const executable = (root: string): void => {
  for (const name of ["x.sh", "sub/y.sh", "sub/y"]) chmodSync(path.join(root, name), 0o755);
};

test.each(NOTICED)("H3: `%s` does not run under an old consent when %s changed", async (line, changed, text = "EVIL\n") => {
  const t = await agreedTo(withLine(line), executable);
  t.put({ [changed]: text });
  expect(await t.runs("npm test")).toBe(false);
});

const EVERYDAY = [
  "vitest run",
  "jest --coverage",
  "jest --ci --runInBand --testPathPattern unit",
  "mocha 'test/**/*.js'",
  "mocha test/*.js",
  "mocha --timeout 5000 test/a.test.js",
  "mocha -r ts-node/register test/a.test.js",
  "ava && tap --no-cov",
  "tsc -p . && eslint .",
  "tsc --noEmit; prettier --check . || true",
  "eslint . --ext .js,.ts --max-warnings 0",
  "node --test",
  "node --test test/*.test.js",
  "node --test --experimental-test-coverage --test-reporter=spec test",
  "node ok.js",
  "node scripts/test.mjs",
  "node --enable-source-maps scripts/test.mjs --fast",
  "node -r ts-node/register scripts/test.mjs",
  "cross-env NODE_ENV=test jest",
  "cross-env NODE_ENV=test CI=true node --import tsx --test",
  "NODE_ENV=test mocha",
  "NODE_OPTIONS=--experimental-vm-modules jest",
  "NODE_OPTIONS='--max-old-space-size=4096 --no-warnings' vitest run",
  "FORCE_COLOR=0 TZ=UTC SOME_SWITCH=1 vitest run",
  "npm run lint && npm run unit",
  "npm run unit -- --coverage",
  "npm test --prefix sub",
  "npm test --workspaces --if-present",
  "npm-run-all lint unit",
  "run-p lint 'unit -- --coverage'",
  "run-s in:*",
  "concurrently npm:lint 'npm run unit'",
  "c8 --reporter=lcov mocha",
  "nyc --all mocha",
  "npx vitest run",
  "npm exec -- eslint .",
  "yarn lint && yarn unit",
  "yarn run unit --coverage",
  "pnpm run lint && pnpm unit",
  "pnpm vitest run",
  "pnpm -r test",
  "bun test",
  "bun run unit",
  "node --run unit",
  "python -m pytest -q",
  "pytest",
  "mvn -B test",
  "pytest -q --cov=src tests/",
  "python3 -m unittest discover -s tests",
  "coverage run -m pytest && coverage report",
  "uv run pytest -q",
  "poetry run pytest",
  "bundle exec rspec",
  "cargo test",
  "cargo test --all-features && cargo clippy --all-targets -- -D warnings",
  "go test ./...",
  "go vet ./... && go test -race -cover ./...",
  "make unit",
  "sh scripts/test.sh",
  "sh -eu scripts/test.sh --all",
  "bash -c 'set -e; ./run-tests.sh'",
  "./run-tests.sh",
  "./run-tests.sh unit",
  "cd sub && ./y.sh",
  "(cd sub && ./y.sh) && ./run-tests.sh",
  "cd sub && npm test",
  "if [ -f x ]; then echo yes; else vitest run; fi",
  "rm -rf coverage && mkdir -p out && jest > out/log.txt 2>&1",
  'echo "Running $USER" && true',
  "./node_modules/.bin/mocha test",
];

const UNRELATED = { "src/a.js": "2\n", "test/a.test.js": "3\n", "test/b.test.js": "3\n", "README.md": "x\n", "package-lock.json": "{}" };

test.each(EVERYDAY)("`%s` stays agreed to when what it tests changes", async (line) => {
  const files = {
    ...withLine(line),
    "src/a.js": "1\n",
    "test/a.test.js": "1\n",
    "scripts/test.mjs": JS,
    "scripts/test.sh": "true\n",
    "run-tests.sh": "true\n",
    "pyproject.toml": "[project]\n",
    Gemfile: "gem 'rspec'\n",
    Makefile:
      "export CI = 1\nNODE ?= node\n.PHONY: unit other\nunit: ready\n\t@sh scripts/test.sh && $(NODE) --test\nready:\n\tmkdir -p out\nother:\n\tkubectl $(X) | sh\n",
    "node_modules/.bin/mocha": "#!/bin/sh\n",
    "package.json": JSON.stringify({
      name: "top",
      workspaces: ["pkg", "packages/*"],
      scripts: { test: line, lint: "eslint .", unit: "vitest run", "in:a": "sh x.sh", deploy: "sh $X" },
    }),
  };
  const t = await agreedTo(files, (root) => {
    executable(root);
    chmodSync(path.join(root, "run-tests.sh"), 0o755);
  });
  expect(await t.offered()).toContain("npm test");
  expect(await t.runs("npm test")).toBe(true);
  t.put(UNRELATED);
  expect(await t.runs("npm test")).toBe(true);
});

const MAKES: [what: string, files: Record<string, string>, changed: string][] = [
  ["a target that is no plain word", { Makefile: "test: .d/x\n\n.d/x:\n\t./x.sh\n" }, "x.sh"],
  ["a recipe on the line of the rule", { Makefile: "test: ; ./x.sh\n" }, "x.sh"],
  ["a variable", { Makefile: "RUN = ./x.sh\ntest:\n\t$(RUN)\n" }, "x.sh"],
  ["a variable that is given", { Makefile: "test:\n\t$(MAKE) run R=./x.sh\nrun:\n\t$(R)\n" }, "x.sh"],
  ["a command while it is read", { Makefile: "X := $(shell ./x.sh)\ntest:\n\ttrue\n" }, "x.sh"],
  ["another way to write that", { Makefile: "X != ./x.sh\ntest:\n\ttrue\n" }, "x.sh"],
  ["a shell of its own", { Makefile: "SHELL = ./x.sh\ntest:\n\ttrue\n" }, "x.sh"],
  ["variables handed on", { Makefile: "export NODE_OPTIONS = --require=./x.cjs\ntest:\n\tjest\n" }, "x.cjs"],
  ["variables handed on by name", { Makefile: "export SOME_HOOK\nSOME_HOOK = ./x.cjs\ntest:\n\tjest\n" }, "x.cjs"],
  ["variables of one target", { Makefile: "test: export BASH_ENV = ./x.sh\ntest:\n\tbash ok.sh\n" }, "x.sh"],
  ["a search path", { Makefile: "export PATH := ./sub:$(PATH)\ntest:\n\ty\n" }, "sub/y"],
  ["make in another folder", { Makefile: "test:\n\t$(MAKE) -C sub test\n" }, "sub/Makefile"],
  ["a rule for all names", { Makefile: "test: a.done\n%.done:\n\t./x.sh\n" }, "x.sh"],
  ["several values", { Makefile: "ifdef A\nX = a\nelse\nX = ; ./x.sh\nendif\ntest:\n\techo $(X)\n" }, "x.sh"],
  ["a file it makes by a built-in rule", { Makefile: "test: z\n\t./z\n", "z.sh": "true\n", z: "true\n" }, "z.sh"],
  ["a file it makes", { Makefile: "test: z\n\t./z\nz: x.sh\n\tcp x.sh z\n", z: "true\n" }, "x.sh"],
  ["a file that is included and made", { Makefile: "include g.mk\ntest:\n\ttrue\ng.mk: x.sh\n\tcp x.sh g.mk\n", "g.mk": "" }, "x.sh"],
  ["a word that make writes", { Makefile: "test: x.sh\n\tsh $<\n" }, "x.sh"],
  ["a folder it enters", { Makefile: "test:\n\tcd sub && ./y.sh\n" }, "sub/y.sh"],
  ["lines that are put together", { Makefile: "test:\n\ttrue; \\\n\t./x.sh\n" }, "x.sh"],
  ["a name that is put together", { Makefile: "test:\n\t./$(addsuffix .sh,x)\n" }, "x.sh"],
  ["a function whose name is computed", { Makefile: "S=shell\nX:=$($(S) ./x.sh)\ntest:\n\ttrue\n" }, "x.sh"],
  ["a list of commands", { Makefile: "X:=$(foreach s,./x.sh,$(shell $(s)))\ntest:\n\ttrue\n" }, "x.sh"],
  ["what makes an included file anew", { Makefile: "include q.mk\ntest:\n\ttrue\n", "q.mk": "" }, "q.mk.sh"],
  ["a compiler of its own", { Makefile: "CC=./x.sh\ntest: a.o\na.o: a.c\n", "a.c": "" }, "x.sh"],
  ["flags of a compiler", { Makefile: "CFLAGS=-wrapper ./x.sh\ntest: a.o\na.o: a.c\n", "a.c": "" }, "x.sh"],
  ["a word that was defined", { Makefile: "define R\n./x.sh\nendef\ntest:\n\t$(R)\n" }, "x.sh"],
];

test.each(MAKES)("H4: `make test` does not run under an old consent through %s", async (_what, files, changed) => {
  const t = await agreedTo({ ...PROJECT, "ok.sh": "true\n", ...files }, executable);
  if (existsSync(path.join(t.root, "z"))) chmodSync(path.join(t.root, "z"), 0o755);
  t.put({ [changed]: "EVIL\n" });
  expect(await t.runs("make test")).toBe(false);
});

test("a plain make file in C stays agreed to when its sources change", async () => {
  const t = await agreedTo({
    Makefile:
      "CC ?= gcc\nCFLAGS = -Wall -O2 -Iinclude\nCFLAGS += -g\n.PHONY: test\ntest: unit\n\t./unit\nunit: unit.c\n\t$(CC) $(CFLAGS) -o $@ $<\n",
    "unit.c": "int main(void) { return 0; }\n",
    "include/a.h": "",
  });
  expect(await t.runs("make test")).toBe(true);
  t.put({ "unit.c": "int main(void) { return 1; }\n" });
  expect(await t.runs("make test")).toBe(true);
});

const SETTINGS: [file: string, text: string, changed: string][] = [
  [".npmrc", "script-shell=./x.sh\n", "x.sh"],
  [".npmrc", "node-options=--require ./x.cjs\n", "x.cjs"],
  ["bunfig.toml", 'preload = ["./x.cjs"]\n', "x.cjs"],
  [".yarnrc", 'yarn-path "./x.cjs"\n', "x.cjs"],
  [".yarnrc.yml", "yarnPath: ./x.cjs\n", "x.cjs"],
  [".yarnrc.yml", "plugins:\n  - ./x.cjs\n", "x.cjs"],
  ["pnpm-workspace.yaml", "scriptShell: ./x.sh\n", "x.sh"],
];

test.each(SETTINGS)("H4: what %s names is part of the consent, or there is none: %s", async (file, text, changed) => {
  const t = await agreedTo({ ...withLine("true"), [file]: text }, executable);
  t.put({ [changed]: "EVIL\n" });
  expect(await t.runs("npm test")).toBe(false);
});

test.each([
  [".npmrc", "registry=https://x.example/\nsave-exact=true\n"],
  ["pnpm-workspace.yaml", "packages:\n  - packages/*\n"],
  ["bunfig.toml", "[test]\ncoverage = true\n"],
])("everyday settings of a package manager do not stand in the way: %s", async (file, text) => {
  const t = await agreedTo({ ...withLine("vitest run"), [file]: text }, executable);
  expect(await t.runs("npm test")).toBe(true);
});

test("H3: a file whose name is an option is not read as a test", async () => {
  const t = await agreedTo(withLine("mocha *.js"), executable);
  t.put({ "--require=x.js": "", "x.js": "EVIL\n" });
  expect(await t.runs("npm test")).toBe(false);
});

test("H3: a package that is really a folder of the project is followed, or not agreed to", async () => {
  const t = await agreedTo(withLine("mocha -r pkg/hook"), (root) => {
    executable(root);
    symlinkSync("../pkg", path.join(root, "node_modules/pkg"));
  });
  t.put({ "pkg/hook.js": "EVIL\n" });
  expect(await t.runs("npm test")).toBe(false);
});

test.each([
  ["node later.js", "later.js"],
  ["node later", "later.js"],
  ["node later.js", "later.js/index.js"],
  ["node later.js", "later.js.node"],
  ["npx tsx later.js", "later.js.ts"],
  ["bash later.sh", "later.sh"],
  ["bash later.sh", "node_modules/.bin/later.sh"],
  ["mocha --config later.js", "later.js"],
])("H3: `%s` is asked about again when what was missing comes: %s", async (line, came) => {
  const t = await agreedTo(withLine(line), executable);
  t.put({ [came]: "EVIL\n" });
  expect(await t.runs("npm test")).toBe(false);
});

test("H3: a program that is passed over does not hide the one that runs", async () => {
  const t = await agreedTo({
    ...withLine("cd sub && npm run tool"),
    "sub/package.json": JSON.stringify({ scripts: { tool: "tool" } }),
    "sub/node_modules/.bin/tool": "",
  });
  expect(await t.runs("npm test")).toBe(true);
  t.put({ "node_modules/.bin/tool": "#!/bin/sh\nEVIL\n" });
  expect(await t.runs("npm test")).toBe(false);
});

test("H3: a program that comes in front of one that was agreed to is asked about", async () => {
  const t = await agreedTo(withLine("echo ok && node --test"), executable);
  expect(await t.runs("npm test")).toBe(true);
  t.put({ "node_modules/.bin/node": "#!/bin/sh\nEVIL\n" });
  expect(await t.runs("npm test")).toBe(false);
});
