import type { SandboxPolicy } from "../../src/workspace/sandbox/policy.ts";

/** As the configuration has it when nothing is set. */
export const defaultSandboxPolicy: SandboxPolicy = {
  mode: "auto",
  allowedHosts: [],
  registries: true,
  writable: [],
  hidden: [],
  own: [],
  visible: [],
  limits: { memoryMb: 4_096, openFiles: 8_192, fileMb: 2_048, processes: 512, tempMb: 1_024 },
};
