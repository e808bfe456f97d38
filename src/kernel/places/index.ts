/** For the front door, which must not load the whole kernel to know where compiled code is kept. */
export { systemPaths } from "../system-paths.ts";
