/** Data: which file belongs to which language, and what to offer when a project configures nothing (DIS-013, DIS-014). */
import type { ToolCategory } from "./types.ts";

export const LANGUAGE_OF_EXTENSION: Readonly<Record<string, string>> = {
  ".ts": "typescript",
  ".tsx": "typescript",
  ".mts": "typescript",
  ".cts": "typescript",
  ".js": "javascript",
  ".jsx": "javascript",
  ".mjs": "javascript",
  ".cjs": "javascript",
  ".py": "python",
  ".pyi": "python",
  ".go": "go",
  ".rs": "rust",
  ".rb": "ruby",
  ".rake": "ruby",
  ".java": "java",
  ".kt": "kotlin",
  ".kts": "kotlin",
  ".c": "c",
  ".h": "c",
  ".cpp": "cpp",
  ".cc": "cpp",
  ".cxx": "cpp",
  ".hpp": "cpp",
  ".hxx": "cpp",
  ".cs": "csharp",
  ".ex": "elixir",
  ".exs": "elixir",
  ".sh": "bash",
  ".bash": "bash",
  ".php": "php",
  ".swift": "swift",
  ".zig": "zig",
  ".ml": "ocaml",
  ".mli": "ocaml",
  ".dart": "dart",
  ".tf": "terraform",
  ".tfvars": "terraform",
  ".nix": "nix",
  ".vue": "vue",
  ".svelte": "svelte",
};

/** Below this many files a language gets no default tools: one stray script is not a project. */
export const MIN_FILES_FOR_DEFAULTS = 2;

export interface LanguageDefault {
  id: string;
  install?: readonly string[];
}

type Defaults = Readonly<Partial<Record<ToolCategory, LanguageDefault>>>;

const npm = (...packages: string[]): readonly string[] => ["npm", "install", "-D", ...packages];
const pip = (tool: string): readonly string[] => ["uv", "pip", "install", tool];
const script: Defaults = {
  linter: { id: "oxlint", install: npm("oxlint") },
  formatter: { id: "prettier", install: npm("prettier") },
  type_checker: { id: "tsc", install: npm("typescript") },
  lsp: { id: "typescript-language-server", install: npm("typescript-language-server", "typescript") },
  test_framework: { id: "vitest", install: npm("vitest") },
};

export const LANGUAGE_DEFAULTS: Readonly<Record<string, Defaults>> = {
  typescript: script,
  javascript: script,
  go: {
    linter: { id: "golangci-lint", install: ["go", "install", "github.com/golangci/golangci-lint/cmd/golangci-lint@latest"] },
    formatter: { id: "gofmt" },
    type_checker: { id: "go-vet" },
    lsp: { id: "gopls", install: ["go", "install", "golang.org/x/tools/gopls@latest"] },
    test_framework: { id: "go-test" },
  },
  python: {
    linter: { id: "ruff", install: pip("ruff") },
    formatter: { id: "ruff", install: pip("ruff") },
    type_checker: { id: "mypy", install: pip("mypy") },
    lsp: { id: "ruff-server", install: pip("ruff") },
    test_framework: { id: "pytest", install: pip("pytest") },
  },
  rust: {
    linter: { id: "clippy", install: ["rustup", "component", "add", "clippy"] },
    formatter: { id: "rustfmt", install: ["rustup", "component", "add", "rustfmt"] },
    type_checker: { id: "cargo-check" },
    lsp: { id: "rust-analyzer", install: ["rustup", "component", "add", "rust-analyzer"] },
    test_framework: { id: "cargo-test" },
  },
  ruby: {
    linter: { id: "rubocop", install: ["gem", "install", "rubocop"] },
    formatter: { id: "rubocop", install: ["gem", "install", "rubocop"] },
    type_checker: { id: "sorbet", install: ["gem", "install", "sorbet"] },
    lsp: { id: "ruby-lsp", install: ["gem", "install", "ruby-lsp"] },
    test_framework: { id: "rspec", install: ["gem", "install", "rspec"] },
  },
  java: {
    linter: { id: "checkstyle" },
    formatter: { id: "google-java-format" },
    type_checker: { id: "javac" },
    lsp: { id: "jdtls" },
    test_framework: { id: "maven-test" },
  },
  kotlin: {
    linter: { id: "ktlint" },
    formatter: { id: "ktlint" },
    type_checker: { id: "kotlinc" },
    lsp: { id: "kotlin-language-server" },
    test_framework: { id: "gradle-test" },
  },
  c: {
    linter: { id: "clang-tidy" },
    formatter: { id: "clang-format" },
    type_checker: { id: "clang" },
    lsp: { id: "clangd" },
    test_framework: { id: "ctest" },
  },
  cpp: {
    linter: { id: "clang-tidy" },
    formatter: { id: "clang-format" },
    type_checker: { id: "clang" },
    lsp: { id: "clangd" },
    test_framework: { id: "ctest" },
  },
  csharp: {
    linter: { id: "dotnet-format" },
    formatter: { id: "dotnet-format" },
    type_checker: { id: "dotnet-build" },
    lsp: { id: "omnisharp" },
    test_framework: { id: "dotnet-test" },
  },
  elixir: {
    linter: { id: "credo", install: ["mix", "deps.get"] },
    formatter: { id: "mix-format" },
    type_checker: { id: "dialyzer" },
    lsp: { id: "elixir-ls" },
    test_framework: { id: "mix-test" },
  },
  bash: {
    linter: { id: "shellcheck" },
    formatter: { id: "shfmt", install: ["go", "install", "mvdan.cc/sh/v3/cmd/shfmt@latest"] },
    lsp: { id: "bash-language-server", install: npm("bash-language-server") },
    test_framework: { id: "bats" },
  },
  php: {
    linter: { id: "phpstan", install: ["composer", "require", "--dev", "phpstan/phpstan"] },
    formatter: { id: "php-cs-fixer", install: ["composer", "require", "--dev", "friendsofphp/php-cs-fixer"] },
    type_checker: { id: "phpstan", install: ["composer", "require", "--dev", "phpstan/phpstan"] },
    lsp: { id: "intelephense", install: npm("intelephense") },
    test_framework: { id: "phpunit", install: ["composer", "require", "--dev", "phpunit/phpunit"] },
  },
  swift: {
    linter: { id: "swiftlint", install: ["brew", "install", "swiftlint"] },
    formatter: { id: "swift-format", install: ["brew", "install", "swift-format"] },
    type_checker: { id: "swiftc" },
    lsp: { id: "sourcekit-lsp" },
    test_framework: { id: "swift-test" },
  },
  zig: { formatter: { id: "zig-fmt" }, type_checker: { id: "zig-build" }, lsp: { id: "zls" }, test_framework: { id: "zig-test" } },
  ocaml: {
    formatter: { id: "ocamlformat", install: ["opam", "install", "ocamlformat"] },
    type_checker: { id: "dune-build" },
    lsp: { id: "ocaml-lsp", install: ["opam", "install", "ocaml-lsp-server"] },
    test_framework: { id: "dune-test", install: ["opam", "install", "alcotest"] },
  },
  dart: {
    linter: { id: "dart-analyze" },
    formatter: { id: "dart-format" },
    type_checker: { id: "dart-analyze" },
    lsp: { id: "dart" },
    test_framework: { id: "dart-test" },
  },
  terraform: {
    linter: { id: "tflint" },
    formatter: { id: "terraform-fmt" },
    type_checker: { id: "terraform-validate" },
    lsp: { id: "terraform-ls" },
  },
  nix: {
    linter: { id: "statix", install: ["nix-env", "-iA", "nixpkgs.statix"] },
    formatter: { id: "nixfmt", install: ["nix-env", "-iA", "nixpkgs.nixfmt"] },
    lsp: { id: "nixd", install: ["nix-env", "-iA", "nixpkgs.nixd"] },
  },
  vue: {
    linter: { id: "eslint", install: npm("eslint", "eslint-plugin-vue") },
    formatter: { id: "prettier", install: npm("prettier") },
    type_checker: { id: "vue-tsc", install: npm("vue-tsc") },
    lsp: { id: "vue-language-server", install: npm("@vue/language-server") },
    test_framework: { id: "vitest", install: npm("vitest") },
  },
  svelte: {
    linter: { id: "eslint", install: npm("eslint", "eslint-plugin-svelte") },
    formatter: { id: "prettier", install: npm("prettier", "prettier-plugin-svelte") },
    type_checker: { id: "svelte-check", install: npm("svelte-check") },
    lsp: { id: "svelte-language-server", install: npm("svelte-language-server") },
    test_framework: { id: "vitest", install: npm("vitest") },
  },
};

/** Lock or manifest file → package manager; the first match of a family wins. */
export const PACKAGE_MANAGERS: readonly {
  id: string;
  family: string;
  files: readonly string[];
  install: readonly string[];
  exact: boolean;
}[] = [
  {
    id: "pnpm",
    family: "js",
    files: ["pnpm-lock.yaml", "pnpm-workspace.yaml"],
    install: ["pnpm", "install", "--frozen-lockfile"],
    exact: true,
  },
  { id: "yarn", family: "js", files: ["yarn.lock"], install: ["yarn", "install", "--immutable"], exact: true },
  { id: "bun", family: "js", files: ["bun.lock", "bun.lockb"], install: ["bun", "install", "--frozen-lockfile"], exact: true },
  { id: "npm", family: "js", files: ["package-lock.json", "npm-shrinkwrap.json"], install: ["npm", "ci"], exact: true },
  { id: "npm", family: "js", files: ["package.json"], install: ["npm", "install"], exact: false },
  { id: "uv", family: "python", files: ["uv.lock"], install: ["uv", "sync"], exact: true },
  { id: "poetry", family: "python", files: ["poetry.lock"], install: ["poetry", "install"], exact: true },
  { id: "pdm", family: "python", files: ["pdm.lock"], install: ["pdm", "install"], exact: true },
  { id: "pipenv", family: "python", files: ["Pipfile.lock", "Pipfile"], install: ["pipenv", "install", "--dev"], exact: true },
  { id: "pip", family: "python", files: ["requirements.txt"], install: ["pip", "install", "-r", "requirements.txt"], exact: false },
  { id: "pip", family: "python", files: ["pyproject.toml", "setup.py"], install: ["pip", "install", "-e", "."], exact: false },
  { id: "go", family: "go", files: ["go.mod"], install: ["go", "mod", "download"], exact: true },
  { id: "cargo", family: "rust", files: ["Cargo.toml"], install: ["cargo", "fetch"], exact: true },
  { id: "bundler", family: "ruby", files: ["Gemfile"], install: ["bundle", "install"], exact: true },
  { id: "gradle", family: "java", files: ["build.gradle", "build.gradle.kts"], install: ["gradle", "dependencies"], exact: true },
  { id: "maven", family: "java", files: ["pom.xml"], install: ["mvn", "dependency:resolve"], exact: true },
  { id: "composer", family: "php", files: ["composer.json"], install: ["composer", "install"], exact: true },
  { id: "mix", family: "elixir", files: ["mix.exs"], install: ["mix", "deps.get"], exact: true },
  { id: "dotnet", family: "csharp", files: ["global.json"], install: ["dotnet", "restore"], exact: true },
  { id: "swift", family: "swift", files: ["Package.swift"], install: ["swift", "package", "resolve"], exact: true },
  { id: "pub", family: "dart", files: ["pubspec.yaml"], install: ["dart", "pub", "get"], exact: true },
];
