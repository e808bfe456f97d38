/** The six roles and what each may do at all (SEC-003), and which role each agent has (SEC-004). Data only. */

export type Role = "admin" | "orchestrator" | "supervisor" | "worker" | "observer_knowledge" | "observer";

const CAPABILITIES = [
  "file_read",
  "file_write",
  "execute",
  /** Safe-listed commands that only look. */
  "execute_inspection",
  "network",
  /** GET requests and searches only. */
  "network_read",
  "knowledge_write",
  "agent_control",
  "pipeline_control",
  "credential_control",
  "configure",
] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** Explicit sets; nothing is inherited but reading. */
const ROLE_CAPABILITIES: Readonly<Record<Role, ReadonlySet<Capability>>> = {
  admin: new Set(CAPABILITIES),
  orchestrator: new Set<Capability>(["file_read", "pipeline_control", "agent_control"]),
  supervisor: new Set<Capability>(["file_read", "agent_control"]),
  worker: new Set<Capability>(["file_read", "file_write", "execute", "execute_inspection", "network", "network_read"]),
  observer_knowledge: new Set<Capability>(["file_read", "knowledge_write"]),
  observer: new Set<Capability>(["file_read"]),
};

const AGENT_ROLES: Readonly<Record<string, Role>> = {
  user: "admin",
  guide: "supervisor",
  architect: "supervisor",
  orchestrator: "orchestrator",
  academic: "observer",
  librarian: "observer_knowledge",
  archivalist: "observer_knowledge",
  engineer: "worker",
  designer: "worker",
  tester: "worker",
  inspector: "observer",
  specialist: "worker",
  critic: "observer",
  scribe: "worker",
};

/** What single agents have beyond their role. */
const AGENT_EXTRAS: Readonly<Record<string, readonly Capability[]>> = {
  academic: ["network_read"],
  librarian: ["network_read", "execute_inspection"],
  inspector: ["execute_inspection"],
  critic: ["execute_inspection"],
  architect: ["execute_inspection"],
};

/** Unknown agents get the least. */
function roleOf(agentType: string): Role {
  return Object.hasOwn(AGENT_ROLES, agentType) ? (AGENT_ROLES[agentType] as Role) : "observer";
}

export function hasCapability(agentType: string, capability: Capability): boolean {
  if (ROLE_CAPABILITIES[roleOf(agentType)].has(capability)) return true;
  return Object.hasOwn(AGENT_EXTRAS, agentType) && (AGENT_EXTRAS[agentType] as readonly Capability[]).includes(capability);
}

export function capabilitiesOf(agentType: string): Capability[] {
  return CAPABILITIES.filter((capability) => hasCapability(agentType, capability));
}
