export { SylkError, isSylkError, isAbort, messageOf, systemCode, type ErrorTier } from "./errors.ts";
export { systemClock, isoTime, nextTurn, repeatEvery, type Clock } from "./clock.ts";
export { Turns } from "./turns.ts";
export { newId, type Id, type EventId, type TaskId } from "./ids.ts";
export { canonicalJson, quoted, type Json } from "./canonical-json.ts";
export { sha256 } from "./hash.ts";
export { machineIdentity } from "./machine.ts";
export { withScope, mapLimit, withDeadline, type Scope } from "./scope.ts";
export { openLog, type Log } from "./log.ts";
export { processHolder, isHolderDead } from "./holder.ts";
export {
  homeFolder,
  packageFile,
  resolveDirs,
  systemTemp,
  type Dirs,
} from "./paths.ts";
export { findProject, openProject, type ProjectDirs } from "./project/open-project.ts";
export { writeFileAtomic, writeError } from "./atomic-file.ts";
export { matchId, shortenIds, SHORT_ID_CHARS } from "./match-id.ts";
export { plainIssues } from "./plain-issues.ts";
export { linesOf } from "./lines-of.ts";
export { nearestWord } from "./nearest-word.ts";
export { oneLine, shorten, shortLine } from "./short-text.ts";
