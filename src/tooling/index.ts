export { createToolFinder, type ToolFinder } from "./discover/discover-tools.ts";
export type { ToolCategory, ToolCommandName, ToolDiscovery } from "./discover/types.ts";
export { headlines, readReport, type ToolReport } from "./reports/read-report.ts";
export { checksFrom, type DiscoveredCheck } from "./discovered-checks.ts";
