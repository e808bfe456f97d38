import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { decideShellLine } from "./decide-command.ts";
import { NO_RULES } from "./rules.ts";
import { SAFE_DOMAINS } from "./safe-lists.ts";
import type { PermissionContext } from "./types.ts";
import { shippedRole } from "../../../test/support/shipped-roles.ts";

const project = tmpdir();
const context = (useSafeLists: boolean): PermissionContext => ({
  role: shippedRole("engineer"),
  cwd: project,
  roots: [project],
  rules: { layers: [{ scope: "project", rules: NO_RULES }], allowModifyEnv: false, allowModifyGitignore: false },
  buildsAreSafe: true,
  useSafeLists,
  home: "/home/someone",
  closed: [],
});

const SAFE = {
  look: ["ls", "cat a", "head a", "tail a", "find .", "grep x a", "rg x", "fd x", "wc a", "file a", "stat a", "which node"],
  versions: ["git status", "git diff", "git log", "git show", "git branch"],
  analysis: ["go vet", "go fmt", "gofmt a.go", "npm list", "npm outdated", "python -m py_compile a.py"],
  build: ["make", "go build", "go test", "npm test", "npm run build", "cargo build", "cargo test"],
};
test.each(Object.values(SAFE).flat())("SEC-009: %s is safe, and is asked about when the safe lists are off", (line) => {
  expect(decideShellLine(context(true), line)).toMatchObject({
    kind: "allow",
    sources: expect.arrayContaining([expect.stringContaining("safe_list")]) as string[],
  });
  expect(decideShellLine(context(false), line).kind).toBe("ask");
});

const HOSTS = {
  registries: "proxy.golang.org sum.golang.org registry.npmjs.org pypi.org files.pythonhosted.org crates.io index.crates.io",
  documentation: "pkg.go.dev docs.python.org nodejs.org developer.mozilla.org",
  git: "github.com gitlab.com bitbucket.org",
};
test.each(Object.entries(HOSTS))("SEC-010: hosts of %s are safe by default: %s", (_kind, hosts) => {
  expect(SAFE_DOMAINS).toEqual(expect.arrayContaining(hosts.split(" ")));
});
