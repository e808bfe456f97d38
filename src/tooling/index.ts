export type { ToolCategory, ToolCommandName } from "./discover/types.ts";
export { headlines, readReport, type ToolReport } from "./reports/read-report.ts";
export type { DiscoveredCheck } from "./discovered-checks.ts";
export { createFormatter, type Formatter } from "./format-text.ts";
export { createLanguageServers, type LanguageServers } from "./language-servers/language-servers.ts";
export { createTools, type Tools } from "./project-tools.ts";
export { createProjectChecks, type ProjectChecks } from "./project-checks.ts";
export { createPermissionApi, userPermissionFile, type PermissionApi } from "./permission-desk.ts";
export { createDoctor, type DoctorApi } from "./doctor.ts";
