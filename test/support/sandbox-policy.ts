import type { SandboxPolicy } from "../../src/workspace/sandbox/policy.ts";

/** As the configuration has it when nothing is set. */
export const defaultSandboxPolicy: SandboxPolicy = {
  mode: "auto",
  allowedHosts: [],
  registries: true,
  writable: [],
  hidden: [],
  visible: [],
  limits: { memoryMb: 8_192, openFiles: 8_192, fileMb: 8_192 },
};
