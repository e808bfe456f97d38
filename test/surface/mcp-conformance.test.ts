/** The protocol's own conformance suite against Sylk's client; all of it in the long form. */
import { expect, test } from "vitest";
import { conforms } from "../support/mcp-conformance.ts";

test.each(["initialize", "tools_call", "elicitation-sep1034-client-defaults", "auth/metadata-default"])(
  "the client conforms: %s",
  { timeout: 120_000 },
  async (scenario) => {
    expect(await conforms(scenario)).toMatchObject({ passed: true });
  },
);
