/** What `rights.test.ts` and its long form share. */
import type { RoleSpec } from "../../../src/protocol/index.ts";

export type Capability = RoleSpec["capabilities"][number];

export const may = ({ capabilities }: RoleSpec, ...any: Capability[]): boolean => any.some((one) => capabilities.includes(one));
