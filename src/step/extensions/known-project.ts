/**
 * What whoever writes in a project should know of it: what its language servers say, how it is written, what it has
 * already, which packages there are, and what the user's MCP servers offer.
 */
import type { PackageDesk } from "../../tooling/index.ts";
import type { StepExtension } from "../extension.ts";
import { createCodeIntelligence, type CodeIntelligenceParts } from "./code-intelligence.ts";
import { createExistingCode, type ExistingCodeParts } from "./existing-code.ts";
import { createHealth, type HealthParts } from "./health.ts";
import { createMcp, type McpExtensionParts } from "./mcp.ts";
import { createNewPackages } from "./new-packages.ts";
import { createStyle, type StyleParts } from "./style.ts";

export function createKnownProject(
  parts: CodeIntelligenceParts & StyleParts & ExistingCodeParts & HealthParts & McpExtensionParts & { packages: PackageDesk },
): StepExtension[] {
  return [
    createCodeIntelligence(parts),
    createHealth(parts),
    createStyle(parts),
    createNewPackages(parts.packages),
    createExistingCode(parts),
    createMcp(parts),
  ];
}
