import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { missingEntries } from "../../scripts/lock/missing-entries.mjs";

const lock = JSON.parse(readFileSync(new URL("../../package-lock.json", import.meta.url), "utf8")) as Parameters<typeof missingEntries>[0];

test("the lock describes every optional platform package, so that npm ci accepts it", () => {
  expect(Object.keys(lock.packages).length).toBeGreaterThan(50);
  expect(missingEntries(lock).map((m) => m.place)).toEqual([]);
});

test("a missing platform package is found and described from its name", () => {
  const packages = {
    "": { optionalDependencies: { "tool-darwin-arm64": "1.0.0" } },
    "node_modules/tool": {
      dev: true,
      optionalDependencies: {
        "@tool/linux-x64-musl": "2.0.0",
        "@tool/win32-ia32": "2.0.0",
        "@tool/any": "^2.0.0",
        "tool-darwin-arm64": "3.0.0",
      },
    },
    "node_modules/@tool/win32-ia32": { version: "2.0.0" },
  };
  expect(missingEntries({ packages })).toEqual([
    { place: "node_modules/tool-darwin-arm64", entry: { version: "1.0.0", optional: true, cpu: ["arm64"], os: ["darwin"] } },
    {
      place: "node_modules/@tool/linux-x64-musl",
      entry: { version: "2.0.0", dev: true, optional: true, cpu: ["x64"], libc: ["musl"], os: ["linux"] },
    },
    {
      place: "node_modules/tool/node_modules/tool-darwin-arm64",
      entry: { version: "3.0.0", dev: true, optional: true, cpu: ["arm64"], os: ["darwin"] },
    },
  ]);
});
