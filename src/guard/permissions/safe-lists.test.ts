import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { decideShellLine } from "./decide-command.ts";
import { NO_RULES } from "./rules.ts";
import { SAFE_DOMAINS } from "./safe-lists.ts";
import type { PermissionContext } from "./types.ts";

const project = tmpdir();
const context = (useSafeLists: boolean): PermissionContext => ({
  agentType: "engineer",
  cwd: project,
  roots: [project],
  rules: { layers: [{ scope: "project", rules: NO_RULES }], allowModifyEnv: false, allowModifyGitignore: false },
  buildsAreSafe: true,
  useSafeLists,
  home: "/home/someone",
});

const SAFE = [
  ...["ls", "cat a", "head a", "tail a", "find .", "grep x a", "rg x", "fd x", "wc a", "file a", "stat a", "which node"],
  ...["git status", "git diff", "git log", "git show", "git branch"],
  ...["go vet", "go fmt", "gofmt a.go", "npm list", "npm outdated", "python -m py_compile a.py"],
  ...["make", "go build", "go test", "npm test", "npm run build", "cargo build", "cargo test"],
];
test.each(SAFE)("SEC-009: %s is safe, and is asked about when the safe lists are off", (line) => {
  expect(decideShellLine(context(true), line)).toMatchObject({ kind: "allow", source: expect.stringContaining("safe_list") as string });
  expect(decideShellLine(context(false), line).kind).toBe("ask");
});

test("SEC-010: package registries with their index hosts, documentation sites and git hosts are safe by default", () => {
  for (const host of [
    ...["proxy.golang.org", "sum.golang.org", "registry.npmjs.org", "pypi.org", "files.pythonhosted.org", "crates.io", "index.crates.io"],
    ...["pkg.go.dev", "docs.python.org", "nodejs.org", "developer.mozilla.org"],
    ...["github.com", "gitlab.com", "bitbucket.org"],
  ])
    expect(SAFE_DOMAINS).toContain(host);
});
