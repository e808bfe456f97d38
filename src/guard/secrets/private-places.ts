/**
 * Where keys, sign-ins and what a person typed stand: below the home folder under the names their programs give them, or
 * where variables of the environment put them. No command and no agent reads them.
 */
import { realpathSync } from "node:fs";
import path from "node:path";
import { systemPaths } from "../../kernel/index.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const IN_HOME: readonly string[] = [
  // Keys and passwords.
  ".ssh",
  ".gnupg",
  ".netrc",
  ".git-credentials",
  ".config/git/credentials",
  ".pgpass",
  ".my.cnf",
  ".mylogin.cnf",
  ".vault-token",
  ".1password",
  ".password-store",
  ".local/share/keyrings",
  ".local/share/kwalletd",
  ".config/op",
  ".config/Bitwarden CLI",
  ".config/sops",
  ".config/age",
  ".Xauthority",
  "Library/Keychains",
  // Clouds and hosts.
  ".aws",
  ".azure",
  ".kube",
  ".docker",
  ".config/containers",
  ".config/gcloud",
  ".config/gh",
  ".config/glab-cli",
  ".config/hub",
  ".config/stripe",
  ".config/doctl",
  ".config/hcloud",
  ".config/rclone",
  ".config/netlify",
  ".local/share/com.vercel.cli",
  ".fly/config.yml",
  ".oci",
  ".s3cfg",
  ".boto",
  ".terraform.d/credentials.tfrc.json",
  ".terraformrc",
  ".pulumi/credentials.json",
  // Registries.
  ".npmrc",
  ".yarnrc.yml",
  ".pypirc",
  ".config/pypoetry/auth.toml",
  ".cargo/credentials.toml",
  ".cargo/credentials",
  ".gem/credentials",
  ".composer/auth.json",
  ".config/composer/auth.json",
  ".m2/settings-security.xml",
  ".gradle/gradle.properties",
  ".cache/huggingface/token",
  ".huggingface",
  ".kaggle",
  // Agents, this one among them.
  ".config/sylk",
  ".sylk",
  ".local/share/sylk",
  ".local/state/sylk",
  ".claude",
  ".claude.json",
  ".codex",
  ".gemini",
  ".pi",
  ".config/opencode",
  ".local/share/opencode",
  ".config/github-copilot",
  // Browsers, mail and talk.
  ".mozilla",
  ".thunderbird",
  ".config/google-chrome",
  ".config/chromium",
  ".config/BraveSoftware",
  ".config/microsoft-edge",
  ".config/vivaldi",
  "snap/chromium/common",
  "snap/firefox/common",
  ".var/app",
  ".config/Slack",
  ".config/discord",
  ".config/Signal",
  "Library/Application Support/Firefox",
  "Library/Application Support/Google/Chrome",
  "Library/Application Support/Slack",
  "Library/Cookies",
  "Library/Mail",
  "Library/Messages",
  // What was typed.
  ".bash_history",
  ".zsh_history",
  ".python_history",
  ".node_repl_history",
  ".psql_history",
  ".mysql_history",
  ".rediscli_history",
  ".local/share/fish/fish_history",
];

/** Folders of the home that a variable moves as a whole. */
const MOVED: readonly [variable: string, folder: string][] = [
  ["XDG_CONFIG_HOME", ".config"],
  ["XDG_DATA_HOME", ".local/share"],
  ["XDG_STATE_HOME", ".local/state"],
  ["XDG_CACHE_HOME", ".cache"],
  ["CARGO_HOME", ".cargo"],
  ["GRADLE_USER_HOME", ".gradle"],
  ["COMPOSER_HOME", ".composer"],
  ["HF_HOME", ".cache/huggingface"],
  ["PULUMI_HOME", ".pulumi"],
];

/** Variables that name one place, or several. */
const NAMED: readonly string[] = [
  "AWS_CONFIG_FILE",
  "AWS_SHARED_CREDENTIALS_FILE",
  "AZURE_CONFIG_DIR",
  "CLAUDE_CONFIG_DIR",
  "CLOUDSDK_CONFIG",
  "CODEX_HOME",
  "DOCKER_CONFIG",
  "GH_CONFIG_DIR",
  "GNUPGHOME",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "HISTFILE",
  "HF_TOKEN_PATH",
  "KUBECONFIG",
  "NETRC",
  "NPM_CONFIG_USERCONFIG",
  "npm_config_userconfig",
  "PASSWORD_STORE_DIR",
  "PGPASSFILE",
  "XAUTHORITY",
];

function realOf(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}

/** Devices and the system's own files: to name one of these is to say that there is none. */
const NO_FILE = /^\/(?:dev|proc|sys)(?:\/|$)/u;

/** As they are named, whether something stands there or not. */
function named(home: string, env: Environment): string[] {
  const moved = MOVED.flatMap(([variable, folder]) => {
    const to = env[variable];
    if (to === undefined || !path.isAbsolute(to)) return [];
    return IN_HOME.filter((name) => name.startsWith(`${folder}/`)).map((name) => path.join(to, name.slice(folder.length)));
  });
  const said = NAMED.flatMap((variable) => (env[variable] ?? "").split(path.delimiter))
    .filter((place) => path.isAbsolute(place) && !NO_FILE.test(path.normalize(place)))
    .map((place) => path.resolve(place))
    // A variable that names the home itself, or what it lies in, says nothing about keys.
    .filter((place) => path.relative(place, home).startsWith(".."));
  const homes = [home, systemPaths.accountHome() ?? home];
  const below = [...homes, ...homes.map(realOf)].flatMap((dir) => IN_HOME.map((name) => path.join(dir, name)));
  return [...new Set([...below, ...moved, ...said])];
}

const isAt = (file: string, place: string): boolean => file === place || file.startsWith(`${place}${path.sep}`);

export const privatePlaces = {
  named,
  /** Also where they lead when they are links: by both names nothing is read. */
  closed(home: string, env: Environment): string[] {
    const places = named(home, env);
    const real = places.map(realOf).filter((place) => path.dirname(place) !== place);
    return [...new Set([...places, ...real])];
  },
  /** The place that a file belongs to, unless the work itself stands there. */
  holding(closed: readonly string[], file: string, root: string | undefined): string | undefined {
    return closed.find((place) => isAt(file, place) && (root === undefined || !isAt(root, place)));
  },
} as const;
