/**
 * Every code an error of Sylk can have, by area: `JOURNAL_CONFLICT` is CONFLICT of JOURNAL. Scripts and other programs
 * rely on them, so a code is never given a second meaning. Types only: it costs nothing at start.
 */
interface Codes {
  ACCESS: "TOKEN_UNUSABLE";
  API: "BAD_INPUT" | "BAD_REPLY" | "LOST" | "REFUSED" | "TOO_LARGE" | "UNKNOWN_TYPE";
  AUTH: "KEY_MISSING" | "REJECTED" | "UNREACHABLE";
  BACKUP: "FAILED";
  BLOB: "MISSING";
  CONFIG: "BROKEN" | "INVALID_VALUE" | "MEMORY_INVALID" | "MEMORY_SELF_REFERENCE" | "NOT_SHARED" | "UNKNOWN_KEY" | "UNREADABLE";
  CREDENTIAL: "NAME";
  CREDENTIALS: "NO_ARGON2" | "UNREADABLE";
  DEADLINE: "PASSED";
  DOCUMENT: "UNREADABLE";
  FILE: "NO_PERMISSION" | "READ_FAILED" | "WRITE_FAILED";
  GIT: "FAILED" | "MISSING" | "NOT_TRUSTED" | "ODD_FILE" | "ODD_SETTING" | "TIMEOUT";
  HISTORY: "EMPTY" | "LINE_INVALID";
  HOME: "UNUSABLE";
  HOOK: "REFUSED";
  INDEX: "FAILED" | "FILE_FAILED";
  JOURNAL:
    | "AMBIGUOUS_EVENT"
    | "ANCHOR_LOST"
    | "CONFLICT"
    | "FENCED"
    | "FILE_GONE"
    | "INVALID_EVENT"
    | "MALFORMED_EVENT"
    | "NOTHING_TO_ACCEPT"
    | "NOTHING_TO_ADOPT"
    | "NO_SUCH_EVENT";
  JSON: "NOT_PLAIN";
  KNOWLEDGE: "BAD_LINK" | "NO_SUCH_FILE" | "NO_SUCH_FOLDER" | "NO_SUCH_LINE" | "NO_SUCH_NODE" | "SEARCH_FAILED";
  LANGUAGE_SERVER: "BROKEN";
  MEMORY:
    | "CANNOT_LIST"
    | "NOT_FOUND"
    | "NOT_OWNER"
    | "NOT_TEXT"
    | "NO_SUCH_ENTRY"
    | "NO_SUCH_EVENT"
    | "PLACE"
    | "UNKNOWN_AGENT"
    | "UNREADABLE";
  MODEL:
    | "AGENT_BUDGET"
    | "ANSWER_TOO_LARGE"
    | "AUTH"
    | "BAD_REQUEST"
    | "BREAKER_OPEN"
    | "CASSETTE_UNREADABLE"
    | "CONTEXT_TOO_LONG"
    | "EMPTY_ANSWER"
    | "GATE_CLOSED"
    | "GLOBAL_BUDGET"
    | "NETWORK"
    | "NONE_SET_UP"
    | "NOT_FOUND"
    | "NO_BASE_URL"
    | "NO_EMBEDDINGS"
    | "NO_KEY"
    | "NO_PROVIDER"
    | "OBJECT_INVALID"
    | "PROVIDER_BUDGET"
    | "PROVIDER_DISABLED"
    | "QUEUE_FULL"
    | "QUOTA"
    | "RATE_LIMITED"
    | "REPLAY_MISMATCH"
    | "SCRIPT_INVALID"
    | "SCRIPT_NO_RULE"
    | "SCRIPT_UNREADABLE"
    | "SESSION_BUDGET"
    | "STREAM_BROKEN"
    | "STREAM_STALLED"
    | "TASK_BUDGET"
    | "TIMEOUT"
    | "UNAVAILABLE"
    | "UNKNOWN"
    | "UNKNOWN_ERROR"
    | "UNREACHABLE";
  PERMISSIONS: "UNREADABLE";
  PORT: "REFUSED";
  PROCESS: "QUEUE_FULL";
  PROFILE: "NAME" | "UNKNOWN" | "UNREADABLE";
  PROJECT: "FOLDER_FOREIGN" | "SHARED_FOREIGN" | "TOO_WIDE";
  QUESTION: "ENDED" | "NOT_FOUND" | "OPEN";
  RING: "TOO_SMALL" | "UNKNOWN_PHASE";
  REQUEST: "ENDED" | "NOT_ASSESSED" | "NOT_FOUND" | "NO_PIECE" | "PLAN_WAITS" | "WITHOUT_EVIDENCE" | "WRONG_STATUS";
  RUN: "EFFECT_UNKNOWN" | "LOST" | "NOT_FOUND" | "STOPPED" | "TAKEN";
  SANDBOX: "NETWORK_UNAVAILABLE";
  SEARCH: "UNAVAILABLE";
  SIGNING: "KEY_UNREADABLE";
  SKILL: "NEEDS_APPROVAL" | "NOTHING_TO_RESUME" | "NOT_FOUND" | "NO_SOURCE" | "RUNS_ELSEWHERE" | "TOO_LARGE";
  STORE:
    | "BUSY"
    | "CANNOT_OPEN"
    | "CLOSED"
    | "CORRUPT"
    | "FAILED"
    | "FULL"
    | "IO"
    | "MIGRATION_FAILED"
    | "NEWER"
    | "NOT_A_DATABASE"
    | "OVERLOADED"
    | "READ_ONLY";
  TASK:
    | "FOLDER_READ_ONLY"
    | "HAS_WORK_TREE"
    | "ILLEGAL_TRANSITION"
    | "NOT_FOUND"
    | "NO_SUCH_STEP"
    | "NO_WORK_TREE"
    | "RUNS"
    | "RUNS_ELSEWHERE"
    | "STILL_HELD"
    | "TOO_LARGE"
    | "TREE_GONE"
    | "TYPE_INVALID"
    | "TYPE_NOT_TRUSTED"
    | "UNDO_FAILED"
    | "WRONG_STATUS";
  TOOLS: "FILE_INVALID";
  USAGE:
    | "ANSWER"
    | "AUDIT"
    | "BAD_OPTION"
    | "BAD_TIME"
    | "CANCELLED"
    | "CHOICE"
    | "CONNECT"
    | "EMPTY_ANSWER"
    | "EMPTY_CHECK"
    | "EMPTY_GOAL"
    | "EMPTY_TITLE"
    | "INPUT_MISSING"
    | "MISTAKE"
    | "NOTHING_INCLUDED"
    | "NOT_A_NUMBER"
    | "NOT_A_PAIR"
    | "NOT_ONE_OF"
    | "NO_COMMAND"
    | "NO_FOLDER"
    | "NO_KEY"
    | "NO_PLACE"
    | "NO_PROVIDER"
    | "NO_QUERY"
    | "ON_COLLISION"
    | "OUTPUT"
    | "OUTSIDE_PROJECT"
    | "PAIR"
    | "PERMISSION"
    | "PERMISSION_MODE"
    | "PREFER"
    | "PREFERENCE_KEY"
    | "SECRET_IN_PROMPT"
    | "SECRET_ON_COMMAND_LINE"
    | "TRUST"
    | "UNKNOWN_COMMAND"
    | "UNKNOWN_OPTION"
    | "UNKNOWN_PROFILE"
    | "UNKNOWN_ROLE"
    | "UNKNOWN_SHELL"
    | "UNKNOWN_TASK_TYPE"
    | "UNREADABLE";
  VIEW: "INVALID" | "UNKNOWN";
  WORKSPACE: "NO_ROOT";
  WORKTREE: "BAD_ID" | "EXISTS" | "GONE" | "LOST";
}

type InArea<Area extends keyof Codes> = `${Area}_${Codes[Area]}`;

/** The phase ring's own names (WMB-005). */
type RingCode = "PhaseNotInitialized" | "NothingToRollback" | "IntegrityCheckFailed";

/** `E-CREATE-…` are the forge's (SKF-009). */
export type ErrorCode = { [Area in keyof Codes]: InArea<Area> }[keyof Codes] | "USAGE" | RingCode | `E-CREATE-0${string}`;
