import { expect, test } from "vitest";
import { decideGit } from "./git-matrix.ts";
import { USER_RIGHTS } from "./rights.ts";
import { shippedRole } from "../../../test/support/shipped-roles.ts";

const AGENTS = ["engineer", "designer", "inspector", "tester", "architect", "librarian"] as const;

/** Operation → who may: e d i t a l, in that order. */
const MATRIX: [string, string[], string][] = [
  ["status", [], "111111"],
  ["diff", ["HEAD~1"], "111111"],
  ["log", [], "111111"],
  ["show", ["HEAD"], "111111"],
  ["blame", ["x"], "111111"],
  ["ls-files", [], "111111"],
  ["add", ["x"], "110110"],
  ["commit", ["-m", "x"], "110110"],
  ["stash", [], "110110"],
  ["branch", [], "111111"],
  ["branch", ["-a"], "111111"],
  ["branch", ["new"], "000010"],
  ["checkout", ["main"], "000011"],
  ["switch", ["main"], "000011"],
  ["revert", ["HEAD"], "000010"],
  ["cherry-pick", ["abc"], "000010"],
  ["reset", ["--soft", "HEAD~1"], "000010"],
  ["reset", ["--hard"], "000000"],
  ["reset", [], "000000"],
  ["fetch", ["origin"], "000011"],
  ["pull", ["origin"], "000011"],
  ["push", [], "000000"],
  ["push", ["--force"], "000000"],
  ["merge", ["x"], "000000"],
  ["rebase", ["main"], "000000"],
  ["clean", ["-fdx"], "000000"],
  ["gc", [], "000000"],
  ["filter-branch", [], "000000"],
  ["config", ["core.hooksPath", "x"], "000000"],
  ["clone", ["https://x"], "000001"],
];

test.each(MATRIX)("GIT-001 GIT-002 GIT-004: git %s %j", (operation, args, allowed) => {
  const given = AGENTS.map((role) =>
    decideGit({ role: shippedRole(role), operation, args, targetIsTemporary: true, testsImproved: true }).kind === "granted" ? "1" : "0",
  );
  expect(given.join("")).toBe(allowed);
});

test.each(["guide", "academic", "archivalist", "orchestrator", "somebody"])("GIT-003: %s has no git permissions", (role) => {
  expect(decideGit({ role: shippedRole(role), operation: "status", args: [] })).toEqual({
    kind: "denied",
    reason: `no git permissions for agent ${role}`,
  });
});

test("GIT-003: a refusal names agent, class and operation", () => {
  expect(decideGit({ role: shippedRole("inspector"), operation: "git_commit", args: [] })).toEqual({
    kind: "denied",
    reason: "agent inspector has no git permission commit for git commit",
  });
});

test("GIT-002 ~GIT-014: clones go to temp folders, the tester commits on improvement only", () => {
  expect(decideGit({ role: shippedRole("librarian"), operation: "clone", args: ["https://x"] }).kind).toBe("denied");
  expect(decideGit({ role: shippedRole("tester"), operation: "commit", args: ["-m", "x"] }).kind).toBe("denied");
  expect(decideGit({ role: shippedRole("tester"), operation: "stash", args: [] }).kind).toBe("granted");
});

test.each([
  ["architect", "commit", ["--amend"]],
  ["engineer", "commit", ["--no-verify", "-m", "x"]],
  ["engineer", "commit", ["-nm", "x"]],
  ["engineer", "stash", ["drop"]],
  ["engineer", "stash", ["clear"]],
  ["architect", "branch", ["-D", "main"]],
  ["architect", "branch", ["--force", "main"]],
  ["architect", "checkout", ["--", "."]],
  ["architect", "checkout", ["-f", "main"]],
  ["architect", "switch", ["--discard-changes", "main"]],
  ["architect", "fetch", ["https://evil/x"]],
  ["architect", "pull", ["git@evil:x"]],
  ["architect", "fetch", ["--upload-pack=x"]],
  ["architect", "remote", ["add", "x", "https://evil"]],
] as const)("GIT-001: nobody but the user loses work or reaches elsewhere: %s git %s %j", (role, operation, args) => {
  expect(decideGit({ role: shippedRole(role), operation, args }).kind).toBe("denied");
});

test("GIT-005: the librarian changes nothing", () => {
  for (const operation of ["git_add", "git_commit", "git_revert", "git_cherry_pick", "git_reset_soft", "git_stash", "git_stash_pop"]) {
    expect(decideGit({ role: shippedRole("librarian"), operation, args: [] }).kind).toBe("denied");
  }
  expect(decideGit({ role: shippedRole("librarian"), operation: "checkout", args: ["-b", "x"] }).kind).toBe("denied");
});

test("the user may do everything", () => {
  expect(decideGit({ role: USER_RIGHTS, operation: "push", args: ["--force"] }).kind).toBe("granted");
});
