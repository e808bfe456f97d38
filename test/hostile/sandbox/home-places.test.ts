/**
 * The attacker's test script runs in the sandbox and prints what it finds in the person's home folder: the sign-ins of
 * other tools, passwords of databases, what was typed. Many people keep such files elsewhere and link to them.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { NO_SANDBOX, run, sandboxWith, sandboxedWorkspace } from "../../support/sandboxed.ts";
import { tempDir } from "../../support/temp.ts";

const SECRET_FILES = [
  ".ssh/config",
  ".aws/config",
  ".config/gh/hosts.yml",
  ".config/rclone/rclone.conf",
  ".pgpass",
  ".my.cnf",
  ".netrc",
  ".yarnrc.yml",
  ".terraform.d/credentials.tfrc.json",
  ".cargo/credentials.toml",
  ".codex/auth.json",
  ".claude/.credentials.json",
  ".local/share/opencode/auth.json",
  ".bash_history",
  ".local/share/fish/fish_history",
];

function put(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** The home stands in the work folder: what is not hidden there is seen. */
const GREP = "grep -rh secret-of home kept elsewhere 2>/dev/null; cat home/.profile";

test.skipIf(NO_SANDBOX !== undefined)("no command reads sign-ins, passwords and histories in the home folder", async () => {
  const root = tempDir("home-places");
  for (const name of SECRET_FILES) put(path.join(root, "home", name), `secret-of ${name}\n`);
  put(path.join(root, "home/.profile"), "umask 022\n");
  put(path.join(root, "home/.cargo/config.toml"), "# no secret-of anybody\n");
  await using workspace = sandboxedWorkspace(root, sandboxWith({}, path.join(root, "home")));
  expect((await run(workspace, GREP)).said).toBe("# no secret-of anybody\numask 022\n");
});

test.skipIf(NO_SANDBOX !== undefined)(
  "what is linked from the home folder is hidden where it really stands, and commands run",
  async () => {
    const root = tempDir("home-links");
    put(path.join(root, "kept/npmrc"), "secret-of npm\n");
    put(path.join(root, "kept/ssh/id"), "secret-of ssh\n");
    put(path.join(root, "elsewhere/u/.aws/config"), "secret-of aws\n");
    put(path.join(root, "elsewhere/u/.profile"), "umask 022\n");
    symlinkSync(path.join(root, "kept/npmrc"), path.join(root, "elsewhere/u/.npmrc"));
    symlinkSync("../../kept/ssh", path.join(root, "elsewhere/u/.ssh"));
    // The home folder itself is reached by a link.
    symlinkSync(path.join(root, "elsewhere/u"), path.join(root, "home"));
    await using workspace = sandboxedWorkspace(root, sandboxWith({}, path.join(root, "home")));
    expect(await run(workspace, GREP)).toEqual({ code: 0, said: "umask 022\n" });
  },
);

test.skipIf(NO_SANDBOX !== undefined)(
  "a program whose settings are hidden finds none, and goes on; a secret of the project is refused",
  async () => {
    const base = path.join(process.cwd(), ".reports", `home-settings-${process.pid}`);
    put(path.join(base, "home/.yarnrc.yml"), "npmAuthToken: hidden\n");
    put(path.join(base, "home/.composer/auth.json"), '{ "http-basic": "hidden" }\n');
    put(path.join(base, "work/.env"), "KEY=hidden\n");
    try {
      await using workspace = sandboxedWorkspace(path.join(base, "work"), sandboxWith({}, path.join(base, "home")));
      // Below the temporary folder the home is not there at all.
      const settings = path.join(base, "home/.yarnrc.yml");
      expect(await run(workspace, `[ ! -e '${settings}' ] || cat '${settings}'`)).toEqual({ code: 0, said: "" });
      const json = path.join(base, "home/.composer/auth.json");
      expect(await run(workspace, `[ ! -e '${json}' ] && echo {} || cat '${json}'`)).toEqual({ code: 0, said: "{}\n" });
      expect(await run(workspace, "cat .env")).toEqual({ code: 1, said: "cat: .env: Permission denied\n" });
    } finally {
      rmSync(base, { recursive: true, force: true });
    }
  },
);

test.skipIf(NO_SANDBOX !== undefined)("a folder that may be written opens no key in it, by whatever link it is named", async () => {
  const base = path.join(process.cwd(), ".reports", `home-linked-${process.pid}`);
  put(path.join(base, "varhome/u/.cargo/credentials.toml"), "secret-of cargo\n");
  put(path.join(base, "varhome/u/.cargo/config.toml"), "plain\n");
  put(path.join(base, "varhome/u/kept/keys/k"), "secret-of nobody\n");
  put(path.join(base, "work/a.txt"), "a\n");
  symlinkSync("varhome", path.join(base, "home"));
  symlinkSync(path.join(base, "varhome"), path.join(base, "whole"));
  try {
    for (const name of ["home", "whole"]) {
      const home = path.join(base, name, "u");
      const policy = { writable: [path.join(home, ".cargo"), path.join(home, "kept")], hidden: [path.join(home, "kept/keys")] };
      await using workspace = sandboxedWorkspace(path.join(base, "work"), sandboxWith(policy, home));
      const { said } = await run(
        workspace,
        `grep -rh . '${home}/.cargo' '${home}/kept' '${base}/varhome/u/.cargo' '${base}/varhome/u/kept' 2>&1`,
      );
      expect(said).not.toContain("secret-of");
      expect(said).toContain("plain");
      expect(await run(workspace, `echo more >> '${home}/.cargo/credentials.toml'; echo new > '${home}/.cargo/new'`)).toMatchObject({
        code: 0,
      });
      expect(readFileSync(path.join(base, "varhome/u/.cargo/credentials.toml"), "utf8")).toBe("secret-of cargo\n");
      expect(readFileSync(path.join(base, "varhome/u/.cargo/new"), "utf8")).toBe("new\n");
    }
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});

test.skipIf(NO_SANDBOX !== undefined)("keys that a variable put elsewhere are hidden there", async () => {
  const root = tempDir("home-variables");
  const at = (name: string): string => path.join(root, name);
  const env = {
    XDG_CONFIG_HOME: at("config"),
    XDG_DATA_HOME: at("data"),
    CARGO_HOME: at("cargo"),
    AWS_SHARED_CREDENTIALS_FILE: at("aws-keys"),
    KUBECONFIG: `${at("kube/one")}:${at("kube/two")}`,
    GNUPGHOME: at("gnupg"),
    CODEX_HOME: at("codex"),
    HISTFILE: at("history"),
    // What names the home itself, or everything, hides nothing.
    CLOUDSDK_CONFIG: at("home"),
    DOCKER_CONFIG: "/",
    AZURE_CONFIG_DIR: "relative",
  };
  const places = [
    "config/gh/hosts.yml",
    "data/opencode/auth.json",
    "cargo/credentials.toml",
    "aws-keys",
    "kube/one",
    "kube/two",
    "gnupg/k",
    "codex/auth.json",
    "history",
  ];
  for (const name of places) put(at(name), `secret-of ${name}\n`);
  put(at("config/other/settings"), "plain settings\n");
  put(at("home/.profile"), "umask 022\n");
  await using workspace = sandboxedWorkspace(root, sandboxWith({}, at("home"), undefined, env));
  const { said } = await run(workspace, "grep -rh . . 2>/dev/null");
  expect(said).not.toContain("secret-of");
  expect(said).toContain("plain settings\n");
  expect(said).toContain("umask 022\n");
});

test.skipIf(NO_SANDBOX !== undefined)(
  "what a link of the home brings into the project is not written into nothing, and packages below such a place are there",
  async () => {
    const root = tempDir("home-dotfiles");
    put(path.join(root, "dotfiles/claude/settings.json"), "secret-of claude\n");
    symlinkSync(path.join(root, "dotfiles/claude"), path.join(root, ".claude"));
    await using workspace = sandboxedWorkspace(path.join(root, "dotfiles"), sandboxWith({}, root));
    const lost = await run(workspace, "echo x > claude/new");
    expect(lost.code).not.toBe(0);
    expect(lost.said).toContain("Read-only file system");
    expect(existsSync(path.join(root, "dotfiles/claude/new"))).toBe(false);
    // A project that stands below a hidden place lends a tree its packages.
    put(path.join(root, ".codex/project/node_modules/tool/index.js"), "console.log('tool runs')\n");
    const tree = path.join(root, "tree");
    mkdirSync(path.join(tree, "node_modules"), { recursive: true });
    symlinkSync(path.join(root, ".codex/project/node_modules/tool"), path.join(tree, "node_modules/tool"));
    await using inTree = sandboxedWorkspace(tree, sandboxWith({}, root));
    expect(await run(inTree, ["node", "node_modules/tool/index.js"])).toEqual({ code: 0, said: "tool runs\n" });
  },
);
