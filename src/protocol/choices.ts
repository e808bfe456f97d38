/** Closed lists of words that events, calls and users choose from, without the schemas that hold them. */
export const CHOICES = {
  /** Names of what a task is given that several floors speak of: files it is about, one a line, in view from its first step. */
  input: { pointedAt: "files it is about" },
  /** What an audit record may be about, how grave it is, how it ended. */
  audit: {
    category: ["permission", "file", "process", "network", "llm", "session", "config"],
    severity: ["info", "warning", "security", "critical"],
    outcome: ["allowed", "denied", "error"],
  },
  /** What whoever asked does with an answer. */
  answerDecision: ["continue", "query_other", "escalate"],
  /** When a request asks the user. */
  approve: ["ask", "auto", "plan-only"],
  /** How something inferred stands to what the person said. */
  besideExplicit: ["unrelated", "duplicate", "conflict"],
  collision: ["overwrite", "rename", "cancel"],
  /** Why a task stands where it stands. */
  decidedWhy: [
    "goes_on",
    "done",
    "agent_asks",
    "plan_ready",
    "agent_gives_up",
    "checks_cannot_run",
    "unusable_answers",
    "no_way_forward",
    "attempts_fail",
    "steps_used_up",
    "monitor_stops",
    "user_pauses",
    "model_unavailable",
    "failed",
  ],
  /** What a correction does to something that counts as success; what it leaves alone is not named. */
  criterionImpact: ["POSITIVE", "NEGATIVE"],
  documentType: ["paper", "documentation", "best_practice", "rfc", "stack_overflow", "blog_post", "tutorial", "research_paper", "plan"],
  /** The class of an error, which says what can be done about it. */
  errorTier: ["transient", "permanent", "user_fixable", "external_rate_limit", "external_degrading"],
  /** A check that failed before, a test of the task that fails without its change, the reproduction of a bug, a finding that is gone. */
  evidence: ["check", "test", "reproduction", "finding", "goal"],
  /** What becomes of a correction before it is sent to a builder. */
  gateDecision: ["PASSED", "FLAGGED_NOTE", "FLAGGED", "FLAGGED_STRONG", "BLOCKED"],
  impasseType: ["KNOWLEDGE_GAP", "CONSTRAINT_CONFLICT", "RESOURCE_EXHAUSTED", "CIRCULAR_DEPENDENCY", "AMBIGUITY"],
  /** How much something matters that the person did not say, the most first; why it does not stand. */
  inferredLevel: ["required", "recommended", "optional"],
  inferredLeft: ["conflict", "duplicate", "undecided", "not_relevant", "removed"],
  intentType: ["create", "modify", "fix", "performance_optimization", "refactor", "research", "question", "other"],
  /** Permission modes that outlive the run they were given to: none of them allows more than nobody having said anything. */
  keptMode: ["default", "ask-edits", "plan"],
  /** Who answers a question about the project: its code, its past, what is known elsewhere. */
  knower: ["librarian", "archivalist", "academic"],
  linkType: [
    "modified",
    "created",
    "deleted",
    "referenced_in",
    "based_on",
    "references",
    "validated_by",
    "supersedes",
    "documents",
    "implements_pattern",
    "uses_library",
    "inspired_by",
    "cites",
    "related_to",
  ],
  /** How sound a part of the project is, the best first; of what is new nothing can be said. */
  maturity: ["DISCIPLINED", "TRANSITIONAL", "LEGACY", "GREENFIELD"],
  /** A pipeline's phases, in order; `reconcile` only where no merge could combine. */
  pipelinePhase: ["red", "green", "reconcile", "inspect"],
  /** `without`: what needs it goes on all the same; `replanned`: other pieces take its place. */
  pipelineEnd: ["merged", "skipped", "without", "replanned", "aborted", "cancelled"],
  /** What a user may choose for a piece that does not get there. */
  pieceChoice: ["retry", "ignore_inspector", "ignore_tester", "take_over", "replan", "without", "skip", "abort", "raise"],
  /** Why a pipeline needs the user. */
  pipelineWait: [
    "task_asks",
    "not_red",
    "cannot_satisfy",
    "not_done",
    "tries_used_up",
    "conflict",
    "budget",
    "model",
    "late",
    "setup",
    "blocked",
    "stopped",
  ],
  /** What a user may tell one piece, whoever works on it. */
  pieceSignal: ["pause", "resume", "cancel", "ignore_inspector", "ignore_tester"],
  /** How much of another role's memory is read, the most first. */
  referenceMode: ["full", "recent", "summary"],
  requestEnd: ["done", "answered", "not_shown", "planned", "rejected", "cancelled", "failed"],
  /** What a request asks for: something to be known, a change, work that wants a plan, or nobody can tell. */
  requestKind: ["answer", "task", "plan", "ambiguous"],
  requestMode: ["auto", "solo", "team"],
  /** On what the person said something later: how the request was read, which reading they chose, its plan, a question, a piece of work, or what they want beside it. */
  saidOn: ["reading", "choice", "plan", "question", "piece", "addition"],
  searchDomain: ["code", "history", "docs", "all"],
  /** What a command with a slash does. */
  slashCommand: ["status", "tasks", "sessions", "plan", "task", "add", "approve", "pause", "resume", "stop", "help"],
  summaryType: ["task_completion", "decision", "failure", "pattern", "refactoring", "bug_fix", "feature"],
  usageDimension: ["session", "role", "model", "provider", "task", "pipeline", "day"],
  usagePeriod: ["day", "week", "month", "all"],
} as const;
