/** What `agents-git.test.ts` and its long form share. */
import { execFileSync } from "node:child_process";
import { appendFileSync, chmodSync, existsSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { openPermissions } from "../../../src/guard/index.ts";
import { shippedRole } from "../../support/shipped-roles.ts";
import { tempWorkspace } from "../../support/temp-workspace.ts";

const IDENTITY = { GIT_AUTHOR_NAME: "A", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "A", GIT_COMMITTER_EMAIL: "a@b" };

export function attacked() {
  const t = tempWorkspace({ "a.txt": "one\n" });
  const mark = path.join(t.base, "PWNED");
  const evil = path.join(t.base, "evil.sh");
  writeFileSync(evil, `#!/bin/sh\necho ran >> '${mark}'\ncat "$@" 2>/dev/null\n`);
  chmodSync(evil, 0o755);
  const sh = (line: string, cwd = t.root): void => {
    try {
      execFileSync("sh", ["-c", line], { cwd, stdio: "ignore", env: { ...process.env, ...IDENTITY } });
    } catch {
      // A monitor that fails, a hook that refuses: it was started all the same.
    }
  };
  sh("git init -q -b main && git config user.name A && git config user.email a@b && git add -A && git commit -qm first");
  const byHand = (line: string, cwd = "."): boolean => {
    sh(line, path.join(t.root, cwd));
    const ran = existsSync(mark);
    rmSync(mark, { force: true });
    return ran;
  };
  const byAgent = async (line: string, cwd = ".") => {
    const outcome = await t.workspace.processes.run({ command: line, cwd });
    return { kind: outcome.kind, ran: existsSync(mark), out: outcome.kind === "exited" ? outcome.stdout : "" };
  };
  const verdict = (line: string, cwd = ".") =>
    openPermissions({
      role: shippedRole("engineer"),
      project: t.root,
      projectFile: path.join(t.base, "permissions.yaml"),
      home: path.join(t.base, "home"),
      buildsAreSafe: false,
      record: () => Promise.resolve(),
    }).preview({ kind: "run", command: { kind: "shell", line }, cwd: path.join(t.root, cwd), background: false, network: [] }).kind;
  const config = (text: string, git = ".git") => appendFileSync(path.join(t.root, git, "config"), text);
  return { ...t, mark, evil, sh, byHand, byAgent, verdict, config, [Symbol.dispose]: () => t[Symbol.dispose]() };
}
