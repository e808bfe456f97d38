export { openApp, type App } from "./open-app.ts";
export { VERSION } from "./version.ts";
export type { StartTask } from "./task-api.ts";
export type { SettingScope } from "./setting-api.ts";
export { AUDIT_CATEGORIES, AUDIT_OUTCOMES, AUDIT_SEVERITIES, type AuditFilter, type AuditLine } from "../guard/index.ts";
export { USAGE_PERIODS, type UsagePeriod } from "./model-api.ts";
export { USAGE_DIMENSIONS, type UsageDimension } from "../model/index.ts";
export { PERMISSION_MODES, type PermissionPolicy } from "./permission-policy.ts";
export type { CollisionAnswer, ForgeTalk, GateAnswer, GateView, SkillOptions, SkillOutcome, SkillReport } from "../forge/index.ts";
