/**
 * The tools Sylk knows, as data. A project may add to them or replace rows in `.sylk/tools.yaml`.
 * Commands are plain argument lists; no shell.
 */
import { formatters } from "./table/formatters.ts";
import { servers } from "./table/language-servers.ts";
import { linters } from "./table/linters.ts";
import { testFrameworks } from "./table/test-frameworks.ts";
import { builds, typeCheckers } from "./table/type-checkers.ts";
import type { ToolDefinitionInput } from "./types.ts";

export const BUILT_IN_TOOLS: readonly ToolDefinitionInput[] = [
  ...formatters,
  ...linters,
  ...typeCheckers,
  ...testFrameworks,
  ...builds,
  ...servers,
];
