/** Trust in this folder for surfaces: what it brings, what was answered, and the answer. */
import type { ProjectChecks } from "../tooling/index.ts";
import type { ProjectTrust } from "../guard/index.ts";

type TrustStatus = ReturnType<ProjectTrust["status"]>;

export interface TrustApi {
  /** `checks`: the project's own commands too: all of them, those that need an answer here, or none. */
  status(options: { checks: "all" | "needed" | "none" }): Promise<TrustStatus>;
  decide(decision: Parameters<ProjectTrust["decide"]>[0]): Promise<TrustStatus>;
}

export function createTrustApi(trust: ProjectTrust, checks: () => Promise<ProjectChecks>): TrustApi {
  return {
    status: async ({ checks: which }) => trust.status(which === "none" ? undefined : await (await checks()).things(which)),
    async decide(decision) {
      trust.decide(decision);
      return trust.status(await (await checks()).things("all"));
    },
  };
}
