/** What a surface gets: the Api, and what only a process that has the project itself can give. */
import { systemPaths } from "../kernel/index.ts";
import type { AccessToken } from "../guard/index.ts";
import type { SampleFolder } from "../workspace/index.ts";
import type { AppOptions, Wired } from "./wire-app.ts";

export type App = Pick<Wired, "api" | "serverToken" | "close">;

export async function openApp(options: AppOptions): Promise<App> {
  const { wireApp } = await import("./wire-app.ts");
  return wireApp(options);
}

/** What a program must show to use a server of this user, without a project. */
export async function serverToken(env: AppOptions["env"], server: "api" | "mcp"): Promise<AccessToken> {
  const guard = await import("../guard/index.ts");
  return guard.serverToken(env, server);
}

/** Whether the header of a request shows this token. */
export async function authorizer(token: string): Promise<(header: string | null) => boolean> {
  const { isAuthorized } = await import("../guard/index.ts");
  return (header) => isAuthorized(header, token);
}

/** A copy nobody else uses: of the project that ships for a look at the whole, or of the user's own as it was at a commit. */
export async function openCopy(
  of: "demo" | { project: string; commit: string },
  options: Pick<AppOptions, "clock"> & { signal: AbortSignal },
): Promise<SampleFolder> {
  const { openCopyAt, openSampleFolder } = await import("../workspace/index.ts");
  return of === "demo" ? openSampleFolder(systemPaths.shipped("demo", "project"), options) : openCopyAt(of.project, of.commit, options);
}
