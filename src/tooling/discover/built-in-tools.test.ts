import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { putFiles, tempFolder } from "../../../test/support/temp-workspace.ts";
import { systemClock } from "../../kernel/index.ts";
import { createToolFinder } from "./discover-tools.ts";
import type { ToolCategory, ToolChoice } from "./types.ts";

/** What a project with these files and only these executables is told to use. */
async function choose(
  category: ToolCategory,
  language: string,
  files: readonly string[],
  binaries: readonly string[],
): Promise<ToolChoice | undefined> {
  const root = tempFolder("built-in");
  try {
    putFiles(root, Object.fromEntries(files.map((file) => [file, CONTENT[path.basename(file)] ?? ""])));
    const bin = path.join(root, ".path");
    mkdirSync(bin);
    for (const name of binaries) {
      const file = name.startsWith("./") ? path.join(root, name) : path.join(bin, name);
      writeFileSync(file, "#!/bin/sh\n");
      chmodSync(file, 0o755);
    }
    const found = await createToolFinder({ root, clock: systemClock, trusts: () => true, searchPath: bin }).find();
    return found.choices.find(
      (choice) => choice.category === category && choice.language === language && choice.root === "." && choice.tier === 1,
    );
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

const CONTENT: Record<string, string> = {
  "package.json": "{}",
  "pyproject.toml": "[tool.black]\n",
  Gemfile: 'gem "rubocop"\n',
  "composer.json": '{"require-dev":{"phpunit/phpunit":"11"}}',
};

type Row = [requirement: string, id: string, language: string, files: string[], binaries: string[], command: string];

const formatters: Row[] = [
  ["FMT-015", "gofmt", "go", ["go.mod", "a.go", "b.go"], ["gofmt"], "gofmt -w $FILE"],
  ["FMT-016", "goimports", "go", ["go.mod", "a.go", "b.go"], ["gofmt", "goimports"], "goimports -w $FILE"],
  ["FMT-017", "prettier", "typescript", [".prettierrc.toml", "a.ts", "b.ts"], ["prettier"], "prettier --write $FILE"],
  ["FMT-018", "biome", "typescript", ["biome.jsonc", "a.ts", "b.ts"], ["biome"], "biome format --write $FILE"],
  ["FMT-019", "ruff", "python", ["ruff.toml", "a.py", "b.py"], ["ruff"], "ruff format $FILE"],
  ["FMT-020", "black", "python", ["pyproject.toml", "a.py", "b.py"], ["black", "ruff"], "black $FILE"],
  ["FMT-021", "rustfmt", "rust", ["Cargo.toml", "src/a.rs", "src/b.rs"], ["cargo"], "cargo fmt -- $FILE"],
  ["FMT-022", "clang-format", "cpp", [".clang-format", "a.cpp", "b.cpp"], ["clang-format"], "clang-format -i $FILE"],
  ["FMT-024", "rubocop", "ruby", [".rubocop.yml", "a.rb", "b.rb"], ["rubocop"], "rubocop -x $FILE"],
  ["FMT-025", "terraform-fmt", "terraform", ["main.tf", "b.tf"], ["terraform"], "terraform fmt $FILE"],
];

test.each(formatters)("~%s ~FMT-011 ~FMT-014: %s formats %s", async (_, id, language, files, binaries, command) => {
  const choice = await choose("formatter", language, files, binaries);
  expect([choice?.tool.id, choice?.tool.commands.file?.join(" "), choice?.tool.installed]).toEqual([id, command, true]);
  expect(choice?.tool.commands.check).toBeDefined();
  expect(choice?.tool.reason).not.toBe("");
});

test("~FMT-006 ~FMT-023: shfmt needs nothing but its executable, and is then used with a warning", async () => {
  const choice = await choose("formatter", "bash", ["a.sh", "b.sh"], ["shfmt"]);
  expect(choice?.tool).toMatchObject({ id: "shfmt", level: "low", confidence: 0.2, commands: { file: ["shfmt", "-w", "$FILE"] } });
  expect(choice?.warnings).toEqual(["low confidence (0.2): executable shfmt"]);
  expect(await choose("formatter", "bash", ["a.sh", "b.sh"], [])).toBeUndefined();
});

const servers: Row[] = [
  ["FMT-033", "gopls", "go", ["go.mod", "a.go", "b.go"], ["gopls"], "gopls serve"],
  [
    "FMT-034",
    "typescript-language-server",
    "typescript",
    ["tsconfig.json", "a.ts", "b.ts"],
    ["typescript-language-server"],
    "typescript-language-server --stdio",
  ],
  [
    "FMT-035",
    "eslint-server",
    "javascript",
    ["eslint.config.js", "a.js", "b.js"],
    ["vscode-eslint-language-server"],
    "vscode-eslint-language-server --stdio",
  ],
  ["FMT-036", "biome-server", "javascript", ["biome.json", "a.js", "b.js"], ["biome"], "biome lsp-proxy"],
  ["FMT-037", "pyright-server", "python", ["pyrightconfig.json", "a.py", "b.py"], ["pyright-langserver"], "pyright-langserver --stdio"],
  ["FMT-038", "ruff-server", "python", ["ruff.toml", "a.py", "b.py"], ["ruff"], "ruff server"],
  ["FMT-039", "rust-analyzer", "rust", ["Cargo.toml", "src/a.rs", "src/b.rs"], ["rust-analyzer"], "rust-analyzer"],
  ["FMT-040", "clangd", "c", ["compile_commands.json", "a.c", "b.c"], ["clangd"], "clangd"],
  ["FMT-041", "solargraph", "ruby", [".solargraph.yml", "a.rb", "b.rb"], ["solargraph"], "solargraph stdio"],
  ["FMT-042", "jdtls", "java", ["pom.xml", "A.java", "B.java"], ["jdtls"], "jdtls"],
  ["FMT-044", "terraform-ls", "terraform", ["main.tf", "b.tf"], ["terraform-ls"], "terraform-ls serve"],
];

test.each(servers)("~%s ~FMT-027 ~FMT-032: %s serves %s", async (_, id, language, files, binaries, command) => {
  const choice = await choose("lsp", language, files, binaries);
  expect([choice?.tool.id, choice?.tool.commands.run?.join(" ")]).toEqual([id, command]);
});

const frameworks: Row[] = [
  ["FMT-053", "go-test", "go", ["go.mod", "a.go", "b.go"], ["go"], "go test ./..."],
  ["FMT-054", "jest", "javascript", ["jest.config.json", "a.js", "b.js"], ["jest"], "jest"],
  ["FMT-055", "vitest", "javascript", ["vitest.config.mts", "a.js", "b.js"], ["vitest"], "vitest run"],
  ["FMT-056", "mocha", "javascript", [".mocharc.yml", "a.js", "b.js"], ["mocha"], "mocha"],
  ["FMT-057", "bun-test", "javascript", ["bun.lock", "package.json", "a.js", "b.js"], ["bun", "node"], "bun test"],
  ["FMT-058", "node-test", "javascript", ["package.json", "a.js", "b.js"], ["node"], "node --test"],
  ["FMT-059", "pytest", "python", ["conftest.py", "a.py", "b.py"], ["pytest"], "pytest"],
  ["FMT-060", "unittest", "python", ["requirements.txt", "a.py", "b.py"], ["python3"], "python3 -m unittest discover"],
  ["FMT-061", "cargo-test", "rust", ["Cargo.toml", "src/a.rs", "src/b.rs"], ["cargo"], "cargo test"],
  ["FMT-062", "rspec", "ruby", [".rspec", "a.rb", "b.rb"], ["rspec"], "rspec"],
  [
    "FMT-063",
    "minitest",
    "ruby",
    ["test/test_helper.rb", "a.rb"],
    ["ruby"],
    "ruby -Ilib:test -e Dir.glob('./test/**/*_test.rb') { |f| require f }",
  ],
  ["FMT-064", "maven-test", "java", ["pom.xml", "A.java", "B.java"], ["mvn"], "mvn test"],
  ["FMT-065", "gradle-test", "java", ["build.gradle.kts", "A.java", "B.java"], ["./gradlew"], "./gradlew test"],
  ["FMT-066", "ctest", "cpp", ["CMakeLists.txt", "a.cpp", "b.cpp"], ["ctest"], "ctest --output-on-failure"],
  ["FMT-067", "mix-test", "elixir", ["mix.exs", "a.ex", "b.ex"], ["mix"], "mix test"],
  ["FMT-068", "phpunit", "php", ["phpunit.xml.dist", "a.php", "b.php"], ["phpunit"], "phpunit"],
];

test.each(frameworks)("~%s ~FMT-045 ~FMT-052: %s tests %s", async (_, id, language, files, binaries, command) => {
  const choice = await choose("test_framework", language, files, binaries);
  expect([choice?.tool.id, choice?.tool.commands.run?.join(" "), choice?.tool.installed]).toEqual([id, command, true]);
  expect(choice?.tool.report).toBeDefined();
});

test("~FMT-010: local executables are found before those on PATH, in node_modules, virtual environments and vendor folders", async () => {
  const root = tempFolder("local");
  try {
    putFiles(root, { "a.py": "", "b.py": "", "pytest.ini": "", ".venv/bin/pytest": "#!/bin/sh\n" });
    chmodSync(path.join(root, ".venv/bin/pytest"), 0o755);
    const found = await createToolFinder({ root, clock: systemClock, trusts: () => true, searchPath: "/nonexistent" }).find();
    expect(found.choices.find((choice) => choice.category === "test_framework")?.tool.commands.single).toEqual([
      ".venv/bin/pytest",
      "$FILE::$TEST",
    ]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

test("~FMT-007: where nothing is known at all, nothing is guessed", async () => {
  const root = tempFolder("nothing");
  putFiles(root, { "notes.txt": "x" });
  const found = await createToolFinder({ root, clock: systemClock, trusts: () => true, searchPath: "/nonexistent" }).find();
  rmSync(root, { recursive: true, force: true });
  expect(found).toEqual({ root, languages: [], packageManagers: [], choices: [], scripts: [], cached: false });
});
