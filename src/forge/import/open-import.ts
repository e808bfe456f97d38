/** The import, loaded when it is first asked for: it reads formats that nothing else here needs. */
import { once, systemPaths } from "../../kernel/index.ts";
import type { ImportApi, ImportParts } from "./import-set-up.ts";

type Opening = Omit<ImportParts, "servers" | "home"> & { servers: () => Promise<ImportParts["servers"]> };

export function openImport(parts: Opening): ImportApi {
  const made = once(async () =>
    (await import("./import-set-up.ts")).createImport({ ...parts, home: systemPaths.home(parts.env), servers: await parts.servers() }),
  );
  return {
    plan: async (request) => (await made.get()).plan(request),
    apply: async (request) => (await made.get()).apply(request),
  };
}
