/** Data: which package manager a project uses, and when a language is worth defaults (DIS-013, DIS-014). */
/** Below this many files a language gets no default tools: one stray script is not a project. */
export const MIN_FILES_FOR_DEFAULTS = 2;

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
