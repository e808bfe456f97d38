export { createSessionApi, type SessionApi } from "./session-api.ts";
