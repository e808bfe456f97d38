export { duration, byteSize, ratio, parseDuration } from "./value-types.ts";
export { jsonSchemaOf, schemaLeaves, type Leaf } from "./schema-leaves.ts";
export { openConfig, type ConfigSource, type ReloadOutcome } from "./config-source.ts";
export type { ConfigSources, LoadedConfig } from "./load-config.ts";
export type { ConfigWarning, LayerName } from "./layers.ts";
export { editConfigFile } from "./edit-config.ts";
export { getAt, type Tree } from "./tree.ts";
export { settingsToTrust, type ProjectSetting, type Standing } from "./project-layer.ts";
