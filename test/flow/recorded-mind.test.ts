/** A small task as a thinking mind solved it, played again from its recording: no network, no key. */
import { cpSync } from "node:fs";
import path from "node:path";
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { openApp } from "../support/lab.ts";
import { systemClock } from "../../src/kernel/index.ts";
import { filesOf } from "../support/scripted-project.ts";
import { tempDir } from "../support/temp.ts";

test("~CTX-027: a recorded run of a real mind ends verified again, from the cassette alone", async () => {
  const base = tempDir();
  const dir = path.join(base, "cart");
  cpSync("test/fixtures/cart", dir, { recursive: true });
  execFileSync("git", ["init", "-q", "."], { cwd: dir });
  const app = await openApp({
    cwd: dir,
    env: { PATH: process.env["PATH"] ?? "", HOME: base, SYLK_HOME: path.join(base, "home") },
    clock: systemClock,
  });
  const id = await app.tasks.start({
    goal: "Make the checks pass: the cart needs a discount in percent, and the other complaints are bugs.",
    type: "implement_feature",
    role: "engineer",
    criteria: ["totalWithDiscount(cart, percent) exists and is exported"],
    constraints: [],
    checks: ["node check.mjs"],
    model: `replay/${path.resolve("test/fixtures/cart.cassette.yaml")}?lenient`,
    profile: "minimal",
    maxSteps: undefined,
  });
  const end = await app.tasks.run(id, () => undefined, new AbortController().signal);
  await app.close();
  expect(end).toMatchObject({ status: "complete", verified: true });
  expect(filesOf(dir)["src/cart.mjs"]).toContain("totalWithDiscount");
});
