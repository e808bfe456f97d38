/** Every client scenario of the conformance suite that is no draft and no extension. */
import { expect, test } from "vitest";
import { conforms, NOT_OFFERED } from "../support/mcp-conformance.ts";

const SCENARIOS = [
  "sse-retry",
  "auth/metadata-var1",
  "auth/metadata-var2",
  "auth/metadata-var3",
  "auth/scope-from-www-authenticate",
  "auth/scope-from-scopes-supported",
  "auth/scope-omitted-when-undefined",
  "auth/scope-retry-limit",
  "auth/token-endpoint-auth-basic",
  "auth/token-endpoint-auth-post",
  "auth/token-endpoint-auth-none",
  "auth/2025-03-26-oauth-endpoint-fallback",
  "auth/pre-registration",
];

test.each(SCENARIOS)("the client conforms: %s", async (scenario) => {
  expect(await conforms(scenario)).toMatchObject({ passed: true });
});

/** What the documentation says is not offered is not offered still. */
test.each(Object.keys(NOT_OFFERED))("the client does not offer: %s", async (scenario) => {
  expect(await conforms(scenario)).toMatchObject({ passed: false });
});
