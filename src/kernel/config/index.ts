export { units } from "./units.ts";
export { openConfig, type ConfigSource } from "./config-source.ts";
export { settingsToTrust } from "./project-layer.ts";
export { terminalSettings } from "./terminal-settings.ts";
