export { openWorkspace, type Workspace, type WorkspaceOptions, type Search, type Processes } from "./open-workspace.ts";
export { toCommandLine } from "./process/command-line.ts";
export type { CommandLine, GateDecision, PermissionGate, WorkspaceAction } from "./gate.ts";
export type { Files, FileChange, ChangeOutcome, PreviewOutcome } from "./files/files.ts";
export type { FileRequest, PlanProblem } from "./files/plan-changes.ts";
export type { TextEdit, Closest } from "./files/edit-text.ts";
export type { Line, ReadOutcome, ReadRequest } from "./files/read-file.ts";
export type { GrepOutcome, GrepRequest, Match } from "./search/grep.ts";
export { listProjectFiles, type ListOutcome, type ListRequest } from "./search/list-files.ts";
export type { RunOutcome, RunRequest, RunResult } from "./process/run-process.ts";
export type { Background, BackgroundRequest, BackgroundState, Health, StartOutcome } from "./process/background.ts";
export type { ShapedOutput } from "./process/shape-output.ts";
export { createProcessSlots, type ProcessSlots } from "./process/slots.ts";
export { defaultLimits, type WorkspaceLimits } from "./limits.ts";
export { createToolFinder, type DiscoverOptions, type ToolFinder } from "./discover/discover-tools.ts";
export { toolCommand, toolFor, type CommandParts, type ToolCommand } from "./discover/tool-command.ts";
export type { RememberedChoice } from "./discover/choose-tools.ts";
export type {
  DiscoveredTool,
  PackageManager,
  ReportFormat,
  ToolCategory,
  ToolChoice,
  ToolCommandName,
  ToolDiscovery,
} from "./discover/types.ts";
export { headlines, readReport, type ReportInput, type ToolReport } from "./reports/read-report.ts";
export type { Diagnostic, TestFailure, TestTotals } from "./reports/types.ts";
export { createGitReader } from "./git/git.ts";
export { openRepository, type Repository, type RepositoryOptions } from "./git/open-repository.ts";
export type { Checkpoint, CommitOutcome, DiscardOutcome, NewWorkTree, TreeChange, WorkTree } from "./git/work-tree.ts";
export type { Snapshot, SnapshotOptions } from "./git/snapshot.ts";
export type { ConflictReason, MergeConflict, MergePlan, Merging, PlanOutcome, Resolution } from "./git/merge-work.ts";
export type { Hunk } from "./merge/line-merge.ts";
export { unifiedDiff } from "./merge/unified-diff.ts";
export { createSandbox, type Sandbox } from "./sandbox/create-sandbox.ts";
export type { SandboxStatus } from "./sandbox/sandbox-status.ts";
export type { SandboxPolicy } from "./sandbox/policy.ts";
export { testSandbox, type SandboxCheck } from "./sandbox/test-sandbox.ts";
