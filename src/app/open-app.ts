/** What a surface gets: the Api, and what only a process that has the project itself can give. */
import { wireApp, type Wired } from "./wire-app.ts";

export type App = Pick<Wired, "api" | "serverToken" | "close">;

export async function openApp(options: Parameters<typeof wireApp>[0]): Promise<App> {
  return wireApp(options);
}
