import { expect, test } from "vitest";
import { createRedactor } from "../../guard/index.ts";
import { withoutSecrets } from "./server-secrets.ts";

/** Put together here so that no scanner takes this file for a leak. */
const some = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7";

function isShared(...args: string[]): boolean {
  const reach = { kind: "stdio" as const, command: "npx", args: ["-y", "server", ...args], env: {} };
  return "reach" in withoutSecrets("one", { reach, raw: reach }, createRedactor());
}

test.each([
  ["--author=Jan"],
  ["--author", "Jan Jansen"],
  ["--authors=a,b"],
  ["--keyword=release"],
  ["--keymap=vim"],
  ["--port=8080"],
  ["key:8080"],
  ["--no-auth", "--verbose"],
  ["https://example.com/docs/intro"],
])("an argument that holds no secret leaves no server out: %s %s", (...args) => {
  expect(isShared(...args)).toBe(true);
});

test.each([
  ["--auth=Jan"],
  ["--authorization=Jan"],
  ["--authtoken=Jan"],
  ["--api-key=Jan"],
  ["--api-key", "Jan"],
  ["--author-token=Jan"],
  [`--author=${some}`],
  ["--password=Jan"],
  ["token:Jan-Jansen-Jansen"],
  ["https://example.com/hook/a1b2c3d4e5"],
])("one that is called so, or looks so, does: %s %s", (...args) => {
  expect(isShared(...args)).toBe(false);
});
