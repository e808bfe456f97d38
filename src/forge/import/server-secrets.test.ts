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
  ["--pwd=Jan"],
  ["--credentials=Jan"],
  ["--cookie=Jan"],
  ["--session-id=Jan"],
  ["--secret=Jan"],
  ["--sentry-dsn=Jan"],
  ["PASSWORD=Jan$JANSEN"],
  ["token:Jan-Jansen-Jansen"],
  ["https://example.com/hook/a1b2c3d4e5"],
  ["https://example.com/a1b2c3d4e5"],
])("one that is called so, or looks so, does: %s %s", (...args) => {
  expect(isShared(...args)).toBe(false);
});

test("what stands in the command itself counts as what stands behind it", () => {
  const reach = { kind: "stdio" as const, command: "server", args: [], env: {} };
  expect(withoutSecrets("one", { reach, raw: { ...reach, command: "PASSWORD=Jan server" } }, createRedactor())).toHaveProperty("why");
});

test("a password that would be a variable in our form is judged as it was written, of a command and of an address", () => {
  const [raw, reach] = ["$ecretPass99", "${ecretPass99}"];
  const stdio = (value: string) => ({ kind: "stdio" as const, command: "x", args: [], env: { DB_PASSWORD: value } });
  const http = (value: string) => ({ kind: "http" as const, url: "https://example.com/mcp", headers: { "X-Password": value } });
  expect(withoutSecrets("one", { reach: stdio(reach), raw: stdio(raw) }, createRedactor())).toMatchObject({
    reach: { env: { DB_PASSWORD: "${DB_PASSWORD}" } },
    set: ["DB_PASSWORD"],
  });
  expect(withoutSecrets("one", { reach: http(reach), raw: http(raw) }, createRedactor())).toMatchObject({
    reach: { headers: { "X-Password": "${ONE_X_PASSWORD}" } },
    set: ["ONE_X_PASSWORD"],
  });
});
