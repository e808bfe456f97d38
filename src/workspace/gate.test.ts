import { expect, test } from "vitest";
import { gateByRule } from "./gate.ts";

test("a gate by rule allows the kinds it is for and no others", async () => {
  const gate = gateByRule("looking", ["read"]);
  expect(await gate.decide({ kind: "read", path: "a", absolute: "/p/a" })).toEqual({ kind: "allow", rule: "looking" });
  expect(await gate.decide({ kind: "write", operation: "delete", path: "a", absolute: "/p/a", bytes: 0 })).toEqual({
    kind: "deny",
    reason: "this is only for: read",
    rule: "looking",
  });
  const run = { kind: "run", command: { kind: "shell", line: "true" }, cwd: "/p", background: false, network: [] } as const;
  expect(await gate.decide(run)).toMatchObject({ kind: "deny" });
});
