export { duration, byteSize, ratio, parseDuration } from "./value-types.ts";
export { jsonSchemaOf, schemaLeaves } from "./schema-leaves.ts";
export { openConfig } from "./config-source.ts";
export type { LoadedConfig } from "./load-config.ts";
export type { ConfigWarning } from "./layers.ts";
export { editConfigFile } from "./edit-config.ts";
export { getAt } from "./tree.ts";
export { settingsToTrust, type ProjectSetting, type Standing } from "./project-layer.ts";
