/** The door of the house. It is cheap to pass: what stands behind it is loaded when an app is opened. */
export { authorizer, openApp, openCopy, serverToken, type App } from "./open-app.ts";
export { VERSION } from "./version.ts";
export { PERMISSION_MODES, type PermissionPolicy } from "./permission-modes.ts";
