import type { SandboxMode } from "../isolation.ts";
import type { SandboxLimits } from "./bounds.ts";

/** What commands may reach, as data (SEC-028…038). `app` fills it from the configuration. */
export interface SandboxPolicy {
  mode: SandboxMode;
  /** Hosts every command may reach; package managers get their registries besides. */
  allowedHosts: readonly string[];
  /** Package managers may reach their registries. */
  registries: boolean;
  /** Further folders commands may write to. */
  writable: readonly string[];
  /** Files and folders commands must not read, besides the known places of keys. */
  hidden: readonly string[];
  /** Folders of Sylk itself, hidden alike. */
  own: readonly string[];
  /** Files commands may read although they look like secrets, as paths below the work folder. */
  visible: readonly string[];
  limits: SandboxLimits;
}

export const HIDDEN_IN_SYSTEM: readonly string[] = [
  "/run/user",
  "/run/dbus",
  "/run/docker.sock",
  "/run/containerd",
  "/run/podman",
  "/run/secrets",
  "/etc/shadow",
  "/etc/gshadow",
  "/etc/ssl/private",
];

/** Caches that programs expect to be able to write; private to one command. */
export const CACHE_VARIABLES: Readonly<Record<string, string>> = {
  XDG_CACHE_HOME: "/tmp/.cache",
  npm_config_cache: "/tmp/.npm",
  PIP_CACHE_DIR: "/tmp/.pip",
  PYTHONDONTWRITEBYTECODE: "1",
};

/** Command beginnings → the registries they fetch from. */
export const REGISTRY_HOSTS: readonly { commands: readonly string[]; hosts: readonly string[] }[] = [
  {
    commands: [
      "npm install",
      "npm ci",
      "npm i",
      "npm add",
      "npm update",
      "npm view",
      "npx",
      "pnpm install",
      "pnpm add",
      "pnpm i",
      "yarn",
      "yarn install",
      "yarn add",
      "bun install",
      "bun add",
      "corepack",
    ],
    hosts: ["registry.npmjs.org", "registry.yarnpkg.com", "*.npmjs.org"],
  },
  {
    commands: [
      "pip install",
      "pip3 install",
      "pip download",
      "python -m pip",
      "python3 -m pip",
      "uv",
      "poetry install",
      "poetry add",
      "pdm install",
      "pdm add",
      "pipenv install",
    ],
    hosts: ["pypi.org", "files.pythonhosted.org"],
  },
  { commands: ["cargo"], hosts: ["crates.io", "static.crates.io", "index.crates.io"] },
  {
    commands: ["go get", "go mod", "go install", "go build", "go test", "go vet", "go run"],
    hosts: ["proxy.golang.org", "sum.golang.org"],
  },
  { commands: ["bundle", "gem install"], hosts: ["rubygems.org", "index.rubygems.org"] },
  { commands: ["composer"], hosts: ["repo.packagist.org", "packagist.org", "api.github.com", "codeload.github.com"] },
  {
    commands: ["mvn", "./mvnw", "gradle", "./gradlew"],
    hosts: ["repo.maven.apache.org", "repo1.maven.org", "plugins.gradle.org", "services.gradle.org", "plugins-artifacts.gradle.org"],
  },
];
