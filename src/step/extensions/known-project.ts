/** What whoever writes in a project should know of it: how it is written, what it has already, and which packages there are. */
import type { PackageDesk } from "../../tooling/index.ts";
import type { StepExtension } from "../extension.ts";
import { createExistingCode, type ExistingCodeParts } from "./existing-code.ts";
import { createNewPackages } from "./new-packages.ts";
import { createStyle, type StyleParts } from "./style.ts";

export function createKnownProject(parts: StyleParts & ExistingCodeParts & { packages: PackageDesk }): StepExtension[] {
  return [createStyle(parts), createNewPackages(parts.packages), createExistingCode(parts)];
}
