/**
 * The attacker's test script runs in the sandbox and prints what it finds in the person's home folder: the sign-ins of
 * other tools, passwords of databases, what was typed. Many people keep such files elsewhere and link to them.
 */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
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
    put(path.join(base, "work/.env"), "KEY=hidden\n");
    try {
      await using workspace = sandboxedWorkspace(path.join(base, "work"), sandboxWith({}, path.join(base, "home")));
      // Below the temporary folder the home is not there at all.
      const settings = path.join(base, "home/.yarnrc.yml");
      expect(await run(workspace, `[ ! -e '${settings}' ] || cat '${settings}'`)).toEqual({ code: 0, said: "" });
      expect(await run(workspace, "cat .env")).toEqual({ code: 1, said: "cat: .env: Permission denied\n" });
    } finally {
      rmSync(base, { recursive: true, force: true });
    }
  },
);
