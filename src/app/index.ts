export { openApp, type App } from "./open-app.ts";
export { VERSION } from "./version.ts";
export type { SettingScope } from "./setting-api.ts";
