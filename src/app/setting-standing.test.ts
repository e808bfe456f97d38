import { expect, test } from "vitest";
import { schemaLeaves } from "../kernel/config/schema-leaves.ts";
import { configSchema } from "./config-schema.ts";
import { standingOf } from "./setting-standing.ts";

const leaves = schemaLeaves(configSchema).map(({ path }) => path);
const names = (standing: string): string[] =>
  leaves
    .filter((path) => standingOf(path) === standing)
    .map((path) => path.join("."))
    .toSorted();

test("C2: of all settings there are, a project nobody trusts may set these and no other", () => {
  expect(names("free")).toEqual([
    "knowledge.retrieval.confidence_threshold",
    "knowledge.retrieval.initial_k",
    "knowledge.retrieval.max_depth",
    "knowledge.retrieval.max_retrieval_tokens",
    "log.level",
  ]);
});

test("everything about safety, accounts and files to write is the user's alone", () => {
  const personal = names("personal");
  for (const name of leaves
    .map((path) => path.join("."))
    .filter((one) => /^(security|credential_scopes|profile|subscription)(\.|$)/u.test(one)))
    expect(personal).toContain(name);
  for (const name of [
    "llm.record",
    "llm.budgets.global.usd",
    "log.retention_days",
    "tools.language_servers",
    "tools.formatter",
    "tools.package_check",
    "tools.package_registries",
    "storage.backup.retention_count",
  ])
    expect(personal).toContain(name);
});

test("a setting nobody has named, and one that only looks like a free one, need trust", () => {
  expect(standingOf(["brand", "new"])).toBe("trusted");
  expect(standingOf(["log.level"])).toBe("trusted");
  expect(standingOf(["log"])).toBe("trusted");
  expect(standingOf(["log", "level", "deeper"])).toBe("trusted");
  expect(standingOf(["security"])).toBe("personal");
});
