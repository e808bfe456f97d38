export { openApp, type App } from "./open-app.ts";
export { oneOf } from "./one-of.ts";
export { serverToken } from "../guard/index.ts";
export { VERSION } from "./version.ts";
export { isAuthorized } from "../guard/index.ts";
export { PERMISSION_MODES, type PermissionPolicy } from "./permission-policy.ts";
