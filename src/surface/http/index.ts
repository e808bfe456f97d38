export { connectApi } from "./connect-api.ts";
export { serveApi } from "./serve-api.ts";
