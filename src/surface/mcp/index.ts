export { createMcpServer } from "./create-mcp-server.ts";
export { serveHttp } from "./serve-http.ts";
export { servePipe } from "./serve-pipe.ts";
