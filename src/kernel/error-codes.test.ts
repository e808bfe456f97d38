import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { systemPaths } from "./index.ts";

test("every registered code is used by the product", () => {
  const src = systemPaths.shipped("src");
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts"),
  );
  const read = (file: string): string => readFileSync(path.join(src, file), "utf8");
  const registry = read("kernel/error-codes.ts");
  const areas = [...registry.matchAll(/^ {2}([A-Z]+):((?:\s*\|?\s*"[A-Z0-9_]+")+);/gmu)];
  const codes = areas.flatMap(([, area, all]) => [...(all ?? "").matchAll(/"([A-Z0-9_]+)"/gu)].map(([, what]) => `${area}_${what}`));
  expect(codes.length).toBeGreaterThan(150);
  expect(new Set(codes).size).toBe(codes.length);
  const text = files.map(read).join("\n");
  expect(codes.filter((code) => !text.includes(`"${code}"`))).toEqual([]);
});
