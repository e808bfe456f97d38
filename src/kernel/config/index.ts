export { units } from "./units.ts";
export { openConfig, type ConfigSource } from "./config-source.ts";
export { settingsToTrust, type ProjectSetting } from "./project-layer.ts";
